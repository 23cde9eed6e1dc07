// SPDX-License-Identifier: Apache-2.0
#include "requests.hpp"

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "../test/robots.hpp"
#include "../test/services.hpp"

namespace dynamics_ros::fuzz {
namespace {

/// Bytes as whatever is asked for; zeros after their end.
class Source {
 public:
  explicit Source(std::string_view bytes) : bytes_(bytes) {}

  std::uint8_t byte() {
    if (bytes_.empty()) return 0;
    const auto first = static_cast<std::uint8_t>(bytes_.front());
    bytes_.remove_prefix(1);
    return first;
  }
  std::size_t below(std::size_t bound) { return byte() % bound; }
  bool rarely() { return byte() > 250; }

  double number() {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    constexpr double odd[] = {0.0,      -0.0, 1.0,   -1.0,     1e-300,    5e-324, 1e300,
                              -1.7e308, 1e9,  1e-12, infinity, -infinity, NAN};
    const std::uint8_t kind = byte();
    if (kind < 230) return (byte() - 128.0) / 50.0;
    if (kind < 250) return odd[below(std::size(odd))];
    std::uint64_t bits = 0;
    for (int i = 0; i < 8; ++i) bits = bits << 8U | byte();
    double value = 0.0;
    std::memcpy(&value, &bits, sizeof value);
    return value;
  }
  /// Nearly always that many nanoseconds.
  builtin_interfaces::msg::Duration duration(std::uint32_t usually) {
    builtin_interfaces::msg::Duration made;
    made.nanosec = usually;
    if (!rarely()) return made;
    made.sec = static_cast<std::int32_t>(byte()) - 128;
    made.nanosec = (std::uint32_t{byte()} << 24U) + byte();
    return made;
  }
  std::vector<double> numbers(std::size_t usually) {
    std::vector<double> made(rarely() ? below(9) : usually);
    for (double& value : made) value = number();
    return made;
  }
  std::vector<std::string> names() {
    static const std::vector<std::string> all = {"turn", "lift", "reach"};
    if (!rarely()) return all;
    static const std::vector<std::string> odd = {"turn",  "lift", "reach", "grip",
                                                 "mount", "",     "\xff\n"};
    std::vector<std::string> made(below(6));
    for (auto& name : made) name = odd[below(odd.size())];
    return made;
  }
  void fill(trajectory_msgs::msg::JointTrajectory& trajectory) {
    trajectory.joint_names = names();
    const std::size_t n = trajectory.joint_names.size();
    trajectory.points.resize(below(24));
    const bool velocities = byte() % 2 == 0, accelerations = byte() % 2 == 0;
    std::int64_t time = 0;
    for (auto& point : trajectory.points) {
      point.positions = numbers(n);
      if (velocities != rarely()) point.velocities = numbers(n);
      if (accelerations != rarely()) point.accelerations = numbers(n);
      time += rarely() ? -1 : std::int64_t{1} << below(34);
      point.time_from_start.sec = static_cast<std::int32_t>(time / 1'000'000'000);
      point.time_from_start.nanosec = static_cast<std::uint32_t>(time % 1'000'000'000);
    }
  }
  void fill(dynamics_msgs::msg::JointTrajectoryColumns& columns) {
    columns.joint_names = names();
    const std::size_t points = below(24), size = points * columns.joint_names.size();
    std::int64_t time = 0;
    for (std::size_t k = 0; k < points; ++k) {
      time += rarely() ? -1 : std::int64_t{1} << below(34);
      auto& stamp = columns.time_from_start.emplace_back();
      stamp.sec = static_cast<std::int32_t>(time / 1'000'000'000);
      stamp.nanosec = static_cast<std::uint32_t>(time % 1'000'000'000);
    }
    columns.positions = numbers(size);
    if (byte() % 2 == 0) columns.velocities = numbers(size);
    if (byte() % 2 == 0) columns.accelerations = numbers(size);
  }
  void fill(dynamics_msgs::msg::Payload& payload) {
    payload.frame_id = byte() % 2 == 0 ? "tool" : rarely() ? "sky" : "";
    auto& inertia = payload.inertia;
    for (double* value : {&inertia.m, &inertia.com.x, &inertia.com.y, &inertia.ixx, &inertia.iyy,
                          &inertia.izz, &inertia.ixy}) {
      *value = number();
    }
  }
  /// What a request may change for itself.
  template <class Request>
  void fill_overrides(Request& request) {
    auto& overrides = request.overrides;
    overrides.replace_payload = rarely();
    if (overrides.replace_payload != rarely()) fill(overrides.payload);
    overrides.replace_gravity = rarely();
    if (overrides.replace_gravity != rarely()) overrides.gravity.z = number();
    if (!rarely()) return;
    overrides.limits.joint_names = names();
    overrides.limits.effort_limits = numbers(overrides.limits.joint_names.size());
    if (byte() % 2 == 0)
      overrides.limits.velocity_limits = numbers(overrides.limits.joint_names.size());
  }
  std::vector<dynamics_msgs::msg::LinkWrench> wrenches() {
    std::vector<dynamics_msgs::msg::LinkWrench> made(byte() > 200 ? below(3) : 0);
    for (auto& wrench : made) {
      wrench.frame_id = rarely() ? "sky" : "tool";
      wrench.axes = static_cast<std::uint8_t>(rarely() ? byte() : below(3));
      wrench.wrench.force.x = number();
      wrench.wrench.torque.z = number();
    }
    return made;
  }
  /// A trajectory in one of its forms, or in both.
  template <class Request>
  void fill_motion(Request& request) {
    const bool columns = byte() % 2 == 0;
    if (columns) fill(request.columns);
    if (columns == rarely()) fill(request.trajectory);
    request.without_friction = byte() % 2 == 0;
    if (rarely()) {
      request.other_joints.joint_names = names();
      request.other_joints.positions = numbers(request.other_joints.joint_names.size());
    }
    if (rarely()) request.other_joints.source = static_cast<std::uint8_t>(below(4));
    fill_overrides(request);
    request.wrenches = wrenches();
  }

 private:
  std::string_view bytes_;
};

[[noreturn]] void broken(const char* what, const ResultCode& result) {
  std::fprintf(stderr, "broken promise: %s (%d: %s)\n", what, result.code, result.message.c_str());
  std::abort();
}

bool finite(const std::vector<double>& values) {
  for (const double value : values) {
    if (!std::isfinite(value)) return false;
  }
  return true;
}

template <class Response>
void expect_empty(const Response& response, Response emptied) {
  if (response.result.code == ResultCode::SUCCESS) {
    if (!response.result.message.empty()) broken("a success with a message", response.result);
    return;
  }
  if (response.result.message.empty()) broken("a fault without a message", response.result);
  if (response.result.code == ResultCode::INTERNAL_ERROR) broken("internal", response.result);
  emptied.result = response.result;
  if (!(emptied == response)) broken("a fault with something beside it", response.result);
}

const DynamicsServer& server() {
  static const auto* const made = [] {
    ServerOptions options;
    options.largest_request = 20;
    options.largest_scaling = 60;
    auto* fresh = new DynamicsServer(options);  // as long as the process
    if (fresh->set_description(test::crane).code != ResultCode::SUCCESS) std::abort();
    return fresh;
  }();
  return *made;
}

void inverse(Source& source) {
  InverseDynamics::Request request;
  source.fill_motion(request);
  request.return_parts = source.byte() % 2 == 0;
  InverseDynamics::Response response;
  server().inverse_dynamics(request, response);
  expect_empty(response, InverseDynamics::Response());
  for (const auto& point : response.trajectory.points) {
    if (!finite(point.effort)) broken("an effort that is not finite", response.result);
  }
  if (!finite(response.effort)) broken("an effort that is not finite", response.result);
  CheckTorqueLimits::Request check;
  check.trajectory = request.trajectory;
  check.columns = request.columns;
  check.other_joints = request.other_joints;
  check.overrides = request.overrides;
  check.wrenches = request.wrenches;
  check.without_friction = request.without_friction;
  CheckTorqueLimits::Response verdict;
  server().check_torque_limits(check, verdict);
  expect_empty(verdict, CheckTorqueLimits::Response());
  if (verdict.result.code != response.result.code || !(verdict.verdict == response.verdict)) {
    if (!request.return_parts) broken("another verdict", verdict.result);
  }
}

void scaling(Source& source) {
  ScaleTrajectory::Request request;
  source.fill_motion(request);
  request.method = static_cast<std::uint8_t>(source.below(3));
  request.interior_points =
      source.rarely() ? 4'000'000'000U : static_cast<std::uint32_t>(source.below(4));
  if (source.byte() % 4 == 0) request.effort_share = source.number();
  if (source.byte() % 4 == 0) request.velocity_share = source.number();
  if (source.byte() % 4 == 0) request.largest_factor = source.number();
  ScaleTrajectory::Response response;
  server().scale_trajectory(request, response);
  ScaleTrajectory::Response emptied;
  emptied.verdict = response.verdict;
  expect_empty(response, emptied);
  if (response.result.code != ResultCode::SUCCESS) return;
  if (response.largest_effort_ratio > request.effort_share * (1.0 + 1e-12))
    broken("too strong", response.result);
  if (!(response.duration_factor >= 1.0)) broken("sped up", response.result);
  InverseDynamics::Request again;
  again.trajectory = response.trajectory;
  again.columns = response.columns;
  again.other_joints = request.other_joints;
  again.overrides = request.overrides;
  again.wrenches = request.wrenches;
  InverseDynamics::Response efforts;
  server().inverse_dynamics(again, efforts);
  const bool too_many = efforts.result.code == ResultCode::TOO_LARGE;
  if (efforts.result.code != ResultCode::SUCCESS && !too_many) {
    broken("a slowed trajectory that is refused", efforts.result);
  }
}

void states(Source& source) {
  ForwardDynamics::Request request;
  request.joint_names = source.names();
  const std::size_t n = request.joint_names.size();
  const std::size_t count = source.below(24);
  request.positions = source.numbers(count * n);
  if (source.byte() % 2 == 0) request.velocities = source.numbers(count * n);
  if (source.byte() % 2 == 0) request.effort = source.numbers(count * n);
  source.fill_overrides(request);
  request.wrenches = source.wrenches();
  ForwardDynamics::Response response;
  server().forward_dynamics(request, response);
  expect_empty(response, ForwardDynamics::Response());
  if (!finite(response.accelerations)) broken("accelerations not finite", response.result);
}

void terms(Source& source) {
  GetDynamicsTerms::Request request;
  request.joint_names = source.names();
  request.positions = source.numbers(request.joint_names.size());
  if (source.byte() % 2 == 0) request.velocities = source.numbers(request.joint_names.size());
  if (source.rarely()) request.frame_id = "tool";
  if (source.rarely()) request.frame_id = "nowhere";
  request.jacobian_axes = static_cast<std::uint8_t>(source.below(4));
  GetDynamicsTerms::Response response;
  server().get_dynamics_terms(request, response);
  expect_empty(response, GetDynamicsTerms::Response());
  if (!finite(response.inertia.data) || !finite(response.coriolis.data) ||
      !finite(response.gravity) || !finite(response.friction) ||
      !std::isfinite(response.kinetic_energy)) {
    broken("terms not finite", response.result);
  }
}

void simulation(Source& source) {
  using dynamics_msgs::action::Simulate;
  Simulate::Goal goal;
  goal.scenario = static_cast<std::uint8_t>(source.below(5));
  goal.joint_names = source.names();
  goal.positions = source.numbers(goal.joint_names.size());
  if (source.byte() % 2 == 0) goal.velocities = source.numbers(goal.joint_names.size());
  if (goal.scenario % 2 == 1 || source.rarely()) source.fill(goal.trajectory);
  goal.duration = source.duration(100'000'000);
  goal.sample = source.duration(20'000'000);
  constexpr const char* integrators[] = {"auto", "", "rk4", "radau5", "abm", "dopri5", "nothing"};
  goal.integrator = integrators[source.below(std::size(integrators))];
  goal.constant_step = source.byte() % 2 == 0;
  if (goal.constant_step != source.rarely()) goal.step = source.duration(10'000'000);
  goal.tolerance = source.rarely() ? source.number() : 1e-4;
  goal.limits = source.byte() % 2 == 0;
  Simulate::Result result;
  int steps = 0;
  server().simulate(goal, result, [&steps](double) { return ++steps < 60; });
  const bool early =
      result.result.code == ResultCode::CANCELED || result.result.code == ResultCode::NOT_CONVERGED;
  if (early ? result.result.message.empty() : false) broken("no reason", result.result);
  if (!early) expect_empty(result, Simulate::Result());
}

void payload(Source& source) {
  static DynamicsServer loaded({});
  static const auto taken = loaded.set_description(test::crane);
  SetPayload::Request request;
  source.fill(request.payload);
  const auto before = loaded.payload();
  SetPayload::Response response;
  loaded.set_payload(request, response);
  const bool taken_over = response.result.code == ResultCode::SUCCESS;
  if (!(loaded.payload() == response.payload)) broken("another payload", response.result);
  if (!taken_over && !(before == response.payload)) broken("a refused payload", response.result);
  if (!taken_over && response.result.message.empty()) broken("no reason", response.result);
}

}  // namespace

void requests(std::string_view bytes) {
  Source source(bytes);
  switch (source.below(6)) {
    case 0: return inverse(source);
    case 1: return scaling(source);
    case 2: return states(source);
    case 3: return terms(source);
    case 4: return simulation(source);
    default: return payload(source);
  }
}

}  // namespace dynamics_ros::fuzz
