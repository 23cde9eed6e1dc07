// SPDX-License-Identifier: Apache-2.0
#include "external_arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "command.hpp"
#include "dynamics_core/kinematics.hpp"
#include "dynamics_core/rigid_dynamics.hpp"
#include "robot.hpp"

namespace dynamics::tools {

void ExternalArguments::add_to(CLI::App& command) {
  command
      .add_option("--wrench", wrenches,
                  "LINK:mx,my,mz,fx,fy,fz: moment (N m) and force (N) on a link, in world axes, at "
                  "the link's origin; may be repeated")
      ->take_all()
      ->allow_extra_args(false);
  auto* motion = command.add_option(
      "--base-motion", base_motion,
      "motion of the base at --time: AXIS:AMPLITUDE:HZ,... with AXIS x, y, z, roll, pitch or yaw; "
      "or a CSV file");
  auto* at = command.add_option("--time", time, "time in s of --base-motion")->needs(motion);
  motion->needs(at);
  command.add_flag("--reactions", reactions,
                   "also the wrench that each joint transmits from its parent link to its child "
                   "link, in world axes, at the joint's origin");
}

void ExternalArguments::refuse(const char* reason) const {
  if (!wrenches.empty()) throw InputError(fmt::format("--wrench {}", reason));
  refuse_all_but_wrenches(reason);
}

void ExternalArguments::refuse_all_but_wrenches(const char* reason) const {
  const char* option = !base_motion.empty() ? "--base-motion" : reactions ? "--reactions" : nullptr;
  if (option != nullptr) throw InputError(fmt::format("{} {}", option, reason));
}

std::vector<LinkWrench> ExternalArguments::link_wrenches(const Model& model) const {
  std::vector<LinkWrench> result;
  for (const std::string& text : wrenches) {
    const std::size_t colon = text.rfind(':');
    if (colon == std::string::npos || colon == 0 || colon + 1 == text.size()) {
      throw InputError(fmt::format(
          "--wrench: '{}' is not LINK:mx,my,mz,fx,fy,fz (for example tool0:0,0,0,0,0,-10)", text));
    }
    const std::string link = text.substr(0, colon);
    const auto n = parse_vector("--wrench " + link, text.substr(colon + 1), 6, {},
                                "moment x,y,z in N m, then force x,y,z in N");
    const std::size_t frame = model.frame(link);
    if (model.frames()[frame].body < 0) {
      throw InputError(fmt::format(
          "--wrench {}: has no effect on the joints, because no joint moves this link", link));
    }
    result.push_back({frame, {{n[0], n[1], n[2]}, {n[3], n[4], n[5]}}, Axes::local_world_aligned});
  }
  return result;
}

std::optional<BaseMotion> ExternalArguments::base() const {
  if (base_motion.empty()) return std::nullopt;
  if (!std::isfinite(*time))
    throw InputError(fmt::format("--time: {} is not a finite number of seconds", *time));
  return tools::base_motion(base_motion)->at(*time);
}

std::vector<Reaction> joint_reactions(const Model& model, ConstVector q, ConstVector qd,
                                      ConstVector qdd, const ExternalInputs& external) {
  Workspace workspace(model);
  std::vector<double> tau(model.size());
  std::vector<Wrench> wrenches(model.body_count());
  inverse_dynamics(model, workspace, q, qd, qdd, tau, wrenches, external);
  std::vector<Reaction> reactions;
  for (std::size_t i = 0; i < model.body_count(); ++i) {
    const Body& body = model.bodies()[i];
    if (body.link.empty()) continue;  // between the axes of a planar or floating joint
    const Eigen::Matrix3d to_world =
        frame_pose(model, workspace, q, model.frame(body.link), external.base).rotation;
    const std::string& joint =
        model.is_mimic(i) ? body.joint : model.coordinates()[body.coordinate].joint;
    const Wrench wrench = {to_world * wrenches[i].moment, to_world * wrenches[i].force};
    require_finite("reactions", {wrench.moment.data(), 3});
    require_finite("reactions", {wrench.force.data(), 3});
    reactions.push_back({joint, body.link, wrench});
  }
  return reactions;
}

ordered_json reactions_json(const std::vector<Reaction>& reactions) {
  ordered_json list = ordered_json::array();
  for (const auto& [joint, link, wrench] : reactions) {
    list.push_back({{"joint", joint},
                    {"link", link},
                    {"moment", vector_json(wrench.moment)},
                    {"force", vector_json(wrench.force)}});
  }
  return list;
}

void print_reactions(const std::vector<Reaction>& reactions) {
  std::size_t joint = 5, link = 4;
  for (const Reaction& reaction : reactions) {
    joint = std::max(joint, reaction.joint.size());
    link = std::max(link, reaction.link.size());
  }
  fmt::print("\nwrenches from parent to child link, world axes, at the joints' origins (N m, N)\n");
  fmt::print("{:<{}}  {:<{}}", "joint", joint, "link", link);
  for (const char* title : {"m_x", "m_y", "m_z", "f_x", "f_y", "f_z"}) fmt::print(" {:>13}", title);
  fmt::print("\n");
  for (const Reaction& reaction : reactions) {
    fmt::print("{:<{}}  {:<{}}", reaction.joint, joint, reaction.link, link);
    for (const double x : reaction.wrench.moment) fmt::print(" {:>13.6g}", x);
    for (const double x : reaction.wrench.force) fmt::print(" {:>13.6g}", x);
    fmt::print("\n");
  }
}

}  // namespace dynamics::tools
