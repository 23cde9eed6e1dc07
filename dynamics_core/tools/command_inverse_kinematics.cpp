// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>

#include "command.hpp"
#include "dynamics_core/kinematics.hpp"
#include "flexible_report.hpp"
#include "report.hpp"
#include "robot.hpp"

namespace dynamics::tools {
namespace {

struct PoseArguments {
  RobotArgument robot;
  std::string frame, pose, q0;
  bool rigid = false, json = false;
};

void report_inverse_kinematics(const PoseArguments& args, Outcome& outcome) {
  const auto numbers = parse_numbers("--pose", args.pose);
  if (numbers.size() != 3 && numbers.size() != 6) {
    throw InputError(fmt::format(
        "--pose: {} numbers given; required are 3 (x,y,z in m: the position alone) or 6 "
        "(x,y,z,roll,pitch,yaw in m and rad)",
        numbers.size()));
  }
  const bool orientation = numbers.size() == 6;
  Pose target;
  target.translation = {numbers[0], numbers[1], numbers[2]};
  if (orientation) target.rotation = rotation_from_rpy({numbers[3], numbers[4], numbers[5]});

  Robot robot = args.robot.load();
  const Model& model = robot.model;
  if (!args.rigid && FlexibleModel::has_modes(model)) {
    throw InputError(fmt::format(
        "robot '{}' has flexible links; inverse kinematics requires rigid ones: add --rigid",
        model.name()));
  }
  const std::size_t frame = model.frame(args.frame);
  warn_outside_limits(robot, "--q0", args.q0);
  // the search moves its start into the limits
  const auto q0 = parse_vector("--q0", args.q0, model.size(), robot.q0);
  Workspace workspace(model);
  std::vector<double> q(model.size());
  const InverseKinematicsResult found =
      inverse_kinematics(model, workspace, frame, target, q0, q, {.orientation = orientation});
  if (args.json) {
    auto object = with_joints(robot);
    object["reached"] = found.reached;
    object["q"] = q;
    object["pose"] = pose_json(found.pose);
    object["position_error"] = found.position_error;
    if (orientation) object["orientation_error"] = found.orientation_error;
    print_json(object);
  } else {
    print_table(model, {{"q", q, "rad", "m"}});
    fmt::print("\n{} of {}: {}\n", found.reached ? "pose" : "nearest pose", args.frame,
               pose_text(found.pose));
  }
  if (found.reached) return;
  std::string message = fmt::format(
      "the pose is out of reach, or was not found from {} starts: nearest position {:.6g} m away",
      found.starts, found.position_error);
  if (orientation) message += fmt::format(", rotated by {:.6g} rad", found.orientation_error);
  fmt::print(stderr, "dynamics: {}\n", message);
  outcome.exit_code = 1;
}

}  // namespace

void add_inverse_kinematics(CLI::App& app, Outcome& outcome) {
  auto args = std::make_shared<PoseArguments>();
  CLI::App* command =
      app.add_subcommand("inverse-kinematics",
                         "Joint positions within the limits at which a frame has a given pose, or "
                         "is nearest to it (exit code 1)");
  args->robot.add_name_to(*command);
  command->add_option("--frame", args->frame, "name of the frame or link")->required();
  command
      ->add_option("--pose", args->pose,
                   "x,y,z (m) or x,y,z,roll,pitch,yaw (rad) of the frame in the world")
      ->required();
  command->add_option("--q0", args->q0,
                      "start of the search; a near solution is preferred (default: from the DH "
                      "table, otherwise the position within the limits nearest to 0)");
  command->add_flag("--rigid", args->rigid, rigid_flag_help);
  command->add_flag("--json", args->json, json_flag_help);
  command->callback([args, &outcome] { report_inverse_kinematics(*args, outcome); });
}

}  // namespace dynamics::tools
