// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <memory>

#include "base/find_by_name.hpp"
#include "command.hpp"
#include "denoc_report.hpp"
#include "dynamics_core/flexible_links.hpp"
#include "dynamics_core/kinematics.hpp"
#include "flexible_report.hpp"
#include "loop_report.hpp"
#include "report.hpp"
#include "robot.hpp"

namespace dynamics::tools {
namespace {

struct KinematicsArguments : StateArguments {
  std::string frame, axes;
};

struct NamedAxes {
  std::string_view name;
  Axes axes;
};
constexpr std::array<NamedAxes, 3> all_axes = {{{"local_world_aligned", Axes::local_world_aligned},
                                                {"world", Axes::world},
                                                {"local", Axes::local}}};

using SixVector = std::array<double, 6>;

struct FrameState {
  std::string name;
  Pose pose;
  std::optional<SixVector> velocity = std::nullopt;  ///< angular part first
};

std::vector<FrameState> flexible_frames(const FlexibleModel& model, const Robot& robot,
                                        const KinematicsArguments& args) {
  if (!args.frame.empty() || !args.qd.empty()) {
    throw InputError(
        "--frame (Jacobian) and --qd (velocities) require rigid links, and this robot has flexible "
        "ones: add --rigid");
  }
  const auto q = parse_state("--q", args.q, model, robot.q0);
  FlexibleWorkspace workspace(model);
  std::vector<FrameState> states;
  for (std::size_t i = 0; i < model.rigid().frames().size(); ++i)
    states.push_back({model.rigid().frames()[i].name, frame_pose(model, workspace, q, i)});
  return states;
}

FrameState frame_state(const Model& model, const Kinematics& kinematics, std::size_t frame,
                       Axes axes, bool moving) {
  FrameState state = {model.frames()[frame].name, frame_pose(model, kinematics, frame)};
  if (!moving) return state;
  const auto [w, v] = frame_velocity(model, kinematics, frame, axes);
  state.velocity = {w.x(), w.y(), w.z(), v.x(), v.y(), v.z()};
  require_finite("velocity", *state.velocity);
  return state;
}

void print_frames(const std::vector<FrameState>& states, std::string_view axes) {
  std::size_t width = std::string_view("frame").size();
  for (const FrameState& state : states) width = std::max(width, state.name.size());
  const auto print_row = [&](const std::string& name, const auto& cells) {
    fmt::print("{:<{}}", name, width);
    for (const auto& cell : cells) {
      if constexpr (std::is_convertible_v<decltype(cell), double>) {
        fmt::print(" {:>14.9g}", cell + 0.0);  // no -0
      } else {
        fmt::print(" {:>14}", cell);
      }
    }
    fmt::print("\n");
  };
  using Titles = std::array<const char*, 6>;
  print_row("frame", Titles{"x (m)", "y", "z", "roll (rad)", "pitch", "yaw"});
  for (const FrameState& state : states) {
    const Eigen::Vector3d &p = state.pose.translation, a = rpy_from_rotation(state.pose.rotation);
    print_row(state.name, SixVector{p.x(), p.y(), p.z(), a.x(), a.y(), a.z()});
  }
  if (states.empty() || !states[0].velocity) return;
  fmt::print("\nvelocities, axes {}\n", axes);
  print_row("frame", Titles{"w_x (rad/s)", "w_y", "w_z", "v_x (m/s)", "v_y", "v_z"});
  for (const FrameState& state : states) print_row(state.name, *state.velocity);
}

void report_kinematics(const KinematicsArguments& args) {
  if (!args.axes.empty() && args.frame.empty() && args.qd.empty())
    throw InputError("--axes has no effect without --frame (Jacobian) or --qd (velocities)");
  const NamedAxes& axes =
      find_by_name(all_axes, "axes", args.axes.empty() ? all_axes[0].name : args.axes);
  Robot robot = args.robot.load_robot_or_mechanism();
  const Model& model = robot.model;
  if (!robot.mechanism) warn_outside_limits(robot, "--q", args.q);
  std::vector<FrameState> states;
  Eigen::MatrixXd J(6, static_cast<Eigen::Index>(model.size()));
  if (const auto flexible = flexible_model(robot, args.rigid)) {
    states = flexible_frames(*flexible, robot, args);
  } else {
    const bool moving = !args.qd.empty();
    const std::vector<double> zero(model.size(), 0.0);
    const LoopState closed = robot.mechanism ? loop_state(robot, args.q, args.qd) : LoopState{};
    const auto q = robot.mechanism ? closed.q : parse_vector("--q", args.q, model.size(), robot.q0);
    const auto qd = robot.mechanism ? closed.qd : parse_vector("--qd", args.qd, model.size(), zero);
    Kinematics kinematics(model);
    forward_kinematics(model, kinematics, q, qd);
    if (args.frame.empty()) {
      for (std::size_t i = 0; i < model.frames().size(); ++i)
        states.push_back(frame_state(model, kinematics, i, axes.axes, moving));
    } else {
      const std::size_t frame = model.frame(args.frame);
      states.push_back(frame_state(model, kinematics, frame, axes.axes, moving));
      jacobian(model, kinematics, frame, axes.axes, J);
    }
  }
  for (const FrameState& state : states)
    require_finite("xyz of a frame", {state.pose.translation.data(), 3});
  if (!args.json) {
    print_frames(states, axes.name);
    if (args.frame.empty()) return;
    print_matrix(fmt::format("\nJacobian, rows w_x to v_z, axes {}", axes.name), J);
    return;
  }
  auto object = with_joints(robot);
  if (robot.mechanism) object["q"] = loop_state(robot, args.q, args.qd).q;
  ordered_json frames = ordered_json::array();
  for (const FrameState& state : states) {
    frames.push_back({{"name", state.name}});
    frames.back().update(pose_json(state.pose));
    if (state.velocity) frames.back()["velocity"] = *state.velocity;
  }
  object["frames"] = std::move(frames);
  if (!args.frame.empty()) {
    object["axes"] = axes.name;
    object["jacobian"] = matrix_json(J);
    if (states[0].velocity) object["velocity"] = *states[0].velocity;
  }
  print_json(object);
}

}  // namespace

void add_kinematics(CLI::App& app, Outcome&) {
  auto args = std::make_shared<KinematicsArguments>();
  CLI::App* command =
      app.add_subcommand("kinematics", "Poses and velocities of the frames, Jacobian of a frame");
  args->add_state_to(*command, false);
  command->add_option("--frame", args->frame,
                      "only this frame, with its 6 x n Jacobian, angular rows first");
  command->add_option(
      "--axes", args->axes,
      "axes and point of Jacobian and velocities: local_world_aligned (default: world axes at the "
      "frame's origin), world (at the world's origin) or local (axes of the frame)");
  args->add_flags_to(*command, false);
  command->callback([args] { report_kinematics(*args); });
}

}  // namespace dynamics::tools
