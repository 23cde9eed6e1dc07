// SPDX-License-Identifier: Apache-2.0
#pragma once

// A study as read from its description.

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dynamics_core/controllers.hpp"
#include "dynamics_core/flexible_links.hpp"
#include "dynamics_core/model.hpp"
#include "dynamics_core/simulate.hpp"
#include "dynamics_core/study.hpp"
#include "dynamics_core/trajectory.hpp"
#include "study/sampling.hpp"

namespace dynamics::study {

/// What a parameter belongs to.
enum class Target { link, joint, coordinate, robot };

enum class Change { set, scale, add };

/// Quantities that can vary.
enum class QuantityKind {
  mass,
  center,
  inertia,
  stretch,
  damping,
  friction,
  rotor_inertia,
  payload,
  payload_center,
  gravity,
  gravity_scale,
  q0,
  qd0,
  kp,
  kd,
  bandwidth,
  damping_ratio
};

struct Quantity {
  std::string_view name;
  QuantityKind kind;
  Target target;
  Eigen::Index axis = 0;  ///< of vectors
  bool scale_only = false;
  enum class Sign { any, not_negative, positive } sign = Sign::any;
};

/// One column of parameters.
struct Variation {
  std::string name;
  const Quantity* quantity = nullptr;
  Change change = Change::set;
  std::vector<std::size_t> targets;  ///< links, joints or coordinates that get the same value
  Distribution distribution;
};

enum class RunKind { simulate, inverse, terms, natural_frequencies };

/// What is kept of a case.
struct Kept {
  enum class Kind { statistic, tracking_error, settling_time, limit_violations } kind;
  std::string statistic;   ///< its name
  std::string pattern;     ///< of columns
  double tolerance = 0.0;  ///< of the settling time (rad or m)
};

/// The task of every case.
struct Task {
  RunKind kind = RunKind::simulate;
  SimulationOptions options;  ///< duration, integrator, sampling, start, limits, pushes
  std::string controller;     ///< empty: the scenario of the options
  ControllerOptions controller_options;
  std::optional<ForcedMotion> cycloid;  ///< the reference starts at q0 of the case
  std::string reference_name;
  std::optional<Payload> payload;
  bool rigid = false;
  Joints joints = Joints::clamped;  ///< of natural frequencies
};

struct Plan {
  std::string file, robot_name;
  std::uint64_t seed = 0, samples = 1, cases = 1;
  Sampling sampling = Sampling::random;
  std::vector<Variation> variations;
  Task task;
  std::vector<Kept> keep;
  std::string runs;
  std::string worst;  ///< name of a result; empty: the first
  bool largest_is_worst = true;
};

/// The robot without variation.
struct Nominal {
  StudyRobot robot;
  Model model;  ///< of a mechanism: its tree
  bool has_loops = false;
};

/// Records what a study read, for its fingerprint.
class Inputs {
 public:
  explicit Inputs(const StudySources& sources) : sources_(sources) {}
  std::string read_file(const std::string& path);
  StudyRobot load_robot(const std::string& name) const { return sources_.load_robot(name); }
  const std::vector<std::string>& texts() const { return texts_; }

 private:
  const StudySources& sources_;
  std::vector<std::string> texts_;
};

/// A study and its robot.
struct PlanAndRobot {
  Plan plan;
  Nominal nominal;
};
/// Reads the description and loads its robot. Throws yaml::Error and what the sources throw.
PlanAndRobot read_plan(std::string_view text, const std::string& file, Inputs& inputs);

}  // namespace dynamics::study
