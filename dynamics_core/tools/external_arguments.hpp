// SPDX-License-Identifier: Apache-2.0
#pragma once

// Options of `inverse` and `forward` on one state: wrenches on links, a moving base, and the
// wrenches that the joints transmit.
//
//   const auto wrenches = external.link_wrenches(model);
//   const ExternalInputs inputs = {.base = external.base(), .wrenches = wrenches};

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "dynamics_core/external_inputs.hpp"
#include "dynamics_core/model.hpp"
#include "report.hpp"

namespace dynamics::tools {

/// Reason for ExternalArguments::refuse_all_but_wrenches().
inline constexpr const char* needs_rigid_links =
    "requires rigid links, and this robot has flexible ones: add --rigid";

struct ExternalArguments {
  std::vector<std::string> wrenches;
  std::string base_motion;
  std::optional<double> time;
  bool reactions = false;

  /// --wrench, --base-motion, --time and --reactions.
  void add_to(CLI::App& command);
  /// Throws InputError with this reason if one of the options is given.
  void refuse(const char* reason) const;
  void refuse_all_but_wrenches(const char* reason) const;

  /// Throws InputError for another form, an unknown link, or a link that no joint moves.
  std::vector<LinkWrench> link_wrenches(const Model& model) const;
  /// The motion of the base at --time.
  std::optional<BaseMotion> base() const;
};

/// The wrench that the parent link of a joint exerts on its child link, at the joint's origin, in
/// world axes.
struct Reaction {
  std::string joint, link;
  Wrench wrench;
};
/// One per joint that is not fixed, in the order of Model::bodies(); planar and floating joints
/// have one.
std::vector<Reaction> joint_reactions(const Model& model, ConstVector q, ConstVector qd,
                                      ConstVector qdd, const ExternalInputs& external);
ordered_json reactions_json(const std::vector<Reaction>& reactions);
void print_reactions(const std::vector<Reaction>& reactions);

}  // namespace dynamics::tools
