// SPDX-License-Identifier: Apache-2.0
#include "closed_states.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "fault.hpp"
#include "request.hpp"

namespace dynamics_ros {
namespace {

using dynamics::Mechanism;
using Vector = std::vector<double>;

constexpr double tolerance = 1e-6;  // as for all functions of mechanisms

dynamics::ConstVector row(const Vector& values, std::size_t k, std::size_t n) {
  return {values.data() + k * n, n};
}

/// Values of all joints that the loops do not allow.
void check_rates(const Mechanism& mechanism, const Vector& given, const Vector& closed,
                 const std::string& field) {
  double size = 1.0;
  for (const double value : given) size = std::max(size, std::abs(value));
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (std::abs(closed[i] - given[i]) <= tolerance * size) continue;
    throw Fault(ResultCode::INVALID_VALUE,
                fmt::format("{} do not keep the loops of '{}' closed: that of joint '{}' must be "
                            "{}; give the independent joints only ({})",
                            field, mechanism.tree().name(), mechanism.tree().coordinates()[i].name,
                            closed[i], independent_joints(mechanism)));
  }
}

}  // namespace

std::string independent_joints(const Mechanism& mechanism) {
  std::string list;
  for (const std::size_t joint : mechanism.independent()) {
    list += (list.empty() ? "'" : ", '") + mechanism.tree().coordinates()[joint].name + "'";
  }
  return list;
}

bool names_all_joints(const Mechanism& mechanism, const std::vector<bool>& seen,
                      const std::string& field) {
  const auto independent = mechanism.independent();
  std::string follower, missing;
  for (std::size_t i = 0; i < mechanism.tree().size(); ++i) {
    const std::string& name = mechanism.tree().coordinates()[i].name;
    if (!seen[i]) {
      missing += (missing.empty() ? "'" : ", '") + name + "'";
    } else if (follower.empty() && !std::binary_search(independent.begin(), independent.end(), i)) {
      follower = name;
    }
  }
  if (follower.empty()) return false;
  if (missing.empty()) return true;
  throw Fault(ResultCode::MISSING_JOINT,
              fmt::format("{}: joint '{}' follows from the closed loops of '{}': give the "
                          "independent joints only ({}), or all joints ({} missing)",
                          field, follower, mechanism.tree().name(), independent_joints(mechanism),
                          missing));
}

std::string ClosedStates::name_of(std::size_t k, const char* member) const {
  return field_[0] == '\0' ? member + 1 : Field{field_, k, member}.name();
}

template <class Change>
void ClosedStates::at_states(Vector& values, const char* member, const Change& change) {
  const std::size_t n = mechanism_.tree().size();
  Vector one(n);
  for (std::size_t k = 0; k * n < values.size(); ++k) {
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(k * n);
    std::copy_n(begin, n, one.begin());
    const auto field = [&] { return name_of(k, member); };
    try {
      change(k, one, field);
    } catch (const dynamics::StateError& error) {
      throw Fault(ResultCode::NO_SOLUTION, fmt::format("{}: {}", field(), error.what()));
    }
    std::copy(one.begin(), one.end(), begin);
  }
}

void ClosedStates::positions(Vector& q) {
  Vector last(mechanism_.start().begin(), mechanism_.start().end()), z(mechanism_.size());
  at_states(q, ".positions", [&](std::size_t, Vector& one, const auto& field) {
    if (!all_) {
      for (std::size_t i = 0; i < z.size(); ++i) z[i] = one[mechanism_.independent()[i]];
      close_loops(mechanism_, workspace_, last, z, one);
      last = one;
      return;
    }
    const double error = loop_error(mechanism_, workspace_, one);
    if (!(error <= tolerance)) {
      throw Fault(ResultCode::INVALID_VALUE,
                  fmt::format("{} do not close the loops of '{}': the error is {:.3g} of its size "
                              "and {} is allowed; give the independent joints only ({})",
                              field(), mechanism_.tree().name(), error, tolerance,
                              independent_joints(mechanism_)));
    }
    project_on_loops(mechanism_, workspace_, one);
  });
}

void ClosedStates::velocities(const Vector& q, Vector& qd) {
  const std::size_t n = mechanism_.tree().size();
  at_states(qd, ".velocities", [&](std::size_t k, Vector& one, const auto& field) {
    if (!all_) {
      close_velocities(mechanism_, workspace_, row(q, k, n), one);
      return;
    }
    const Vector given = one;
    Vector position(q.begin() + static_cast<std::ptrdiff_t>(k * n),
                    q.begin() + static_cast<std::ptrdiff_t>((k + 1) * n));
    project_on_loops(mechanism_, workspace_, position, one);
    check_rates(mechanism_, given, one, field());
  });
}

void ClosedStates::accelerations(const Vector& q, const Vector& qd, Vector& qdd) {
  const std::size_t n = mechanism_.tree().size();
  at_states(qdd, ".accelerations", [&](std::size_t k, Vector& one, const auto& field) {
    const Vector given = one;
    close_accelerations(mechanism_, workspace_, row(q, k, n), row(qd, k, n), one);
    if (all_) check_rates(mechanism_, given, one, field());
  });
}

void close_states(const Robot& robot, const std::vector<std::size_t>& coordinates,
                  const char* field, Vector& q, Vector* qd) {
  if (!robot.mechanism) return;
  std::vector<bool> seen(robot.model.size(), false);
  for (const std::size_t coordinate : coordinates) seen[coordinate] = true;
  ClosedStates states(*robot.mechanism, names_all_joints(*robot.mechanism, seen, "joint_names"),
                      field);
  states.positions(q);
  if (qd != nullptr) states.velocities(q, *qd);
}

}  // namespace dynamics_ros
