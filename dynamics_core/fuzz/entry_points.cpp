// SPDX-License-Identifier: Apache-2.0
#include "entry_points.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <variant>
#include <vector>

#include "dynamics_core/check.hpp"
#include "dynamics_core/closed_loops.hpp"
#include "dynamics_core/inertia_matrix.hpp"
#include "dynamics_core/readers.hpp"
#include "dynamics_core/rigid_dynamics.hpp"
#include "dynamics_core/trajectory.hpp"

namespace dynamics::fuzz {
namespace {

void require(bool condition, const char* property) {
  if (condition) return;
  std::fprintf(stderr, "property violated: %s\n", property);
  std::abort();
}

bool rejects_input(const Error& error) {
  return dynamic_cast<const ParseError*>(&error) != nullptr ||
         dynamic_cast<const ModelError*>(&error) != nullptr;
}

using Loaded = std::variant<Model, Mechanism>;

/// The model, or the mechanism of a text with constraints, or std::nullopt if it is rejected with a
/// ParseError or ModelError. Other exceptions are not caught.
std::optional<Loaded> try_urdf(std::string_view text) {
  try {
    RobotDescription description = read_urdf(text, "fuzz.urdf");
    if (!description.constraints.empty()) return Mechanism(std::move(description));
    return Model(std::move(description));
  } catch (const Error& error) {
    require(rejects_input(error), "a URDF is rejected with a ParseError or a ModelError");
    require(!std::string_view(error.what()).empty(), "an error has a message");
    return std::nullopt;
  }
}

/// Runs the dynamics of small models: only the documented errors may be thrown.
void exercise(const Model& model) {
  if (model.body_count() > 40) return;
  Workspace workspace(model);
  const std::size_t n = model.size();
  std::vector<double> q(n), qd(n, 0.5), qdd(n, -0.25), tau(n);
  for (std::size_t i = 0; i < n; ++i) q[i] = 0.1 * static_cast<double>(i + 1);
  inverse_dynamics(model, workspace, q, qd, qdd, tau);
  Eigen::MatrixXd M(static_cast<Eigen::Index>(n), static_cast<Eigen::Index>(n));
  inertia_matrix(model, workspace, q, M);
  for (double& x : tau) x = 1.0;
  try {
    forward_dynamics(model, workspace, q, qd, tau, qdd);
  } catch (const StateError&) {  // a joint moves no mass, or a singular orientation
  }
}

/// The same for a mechanism, at its start.
void exercise(const Mechanism& mechanism) {
  const std::size_t n = mechanism.tree().size();
  if (n > 40) return;
  MechanismWorkspace workspace(mechanism);
  const std::vector<double> q(mechanism.start().begin(), mechanism.start().end()), zero(n, 0.0);
  require(loop_error(mechanism, workspace, q) <= 1e-6, "the start closes the loops");
  std::vector<double> qdd(n), tau(mechanism.size());
  try {
    forward_dynamics(mechanism, workspace, q, zero, zero, qdd);
    for (const double x : qdd) require(std::isfinite(x), "accelerations are finite");
    inverse_dynamics(mechanism, workspace, q, zero, qdd, tau);
  } catch (const StateError&) {  // singular
  }
}

}  // namespace

void urdf(std::string_view text) {
  const auto loaded = try_urdf(text);
  if (loaded) std::visit([](const auto& robot) { exercise(robot); }, *loaded);
}

void check(std::string_view text) {
  CheckOptions options;
  options.condition_samples = 2;
  options.condition_coordinates = 20;
  const CheckReport report = check_urdf(text, "fuzz.urdf", options);
  const bool loads = try_urdf(text).has_value();
  require(report.loads == loads, "the checker accepts what the reader accepts");
  require(loads || report.exit_code() == 2, "a rejected model has an error");
  const std::string repaired = repair_urdf(text, "fuzz.urdf");
  if (repaired == text) return;
  require(!loads || try_urdf(repaired).has_value(), "a repaired model can be loaded");
}

void dh_table(std::string_view text) {
  try {
    const DhTable table = read_dh_table(text, "fuzz.yaml");
    if (!table.constraints.empty()) {
      const Mechanism mechanism = mechanism_from_dh(table);
      exercise(mechanism);
      require(read_urdf(to_urdf(table), "fuzz.urdf").constraints.size() == table.constraints.size(),
              "the URDF of a table has its constraints");
      return;
    }
    const Model model = model_from_dh(table);
    exercise(model);
    std::string written;
    try {
      written = to_urdf(table);
    } catch (const ModelError&) {  // the table cannot be expressed as a URDF
      return;
    }
    const Model again = model_from_urdf(written);
    require(again.size() == model.size(), "the URDF of a table has the joints of the table");
  } catch (const Error& error) {
    require(rejects_input(error), "a table is rejected with a ParseError or a ModelError");
    require(!std::string_view(error.what()).empty(), "an error has a message");
  }
}

namespace {

/// Reads a trajectory and evaluates it: it starts at the first point and is finite everywhere.
template <class Read>
void evaluate(std::string_view text, Read read) {
  static const Model model = model_from_dh(built_in_robot("planar3"));
  try {
    const Knots knots = read(text, "fuzz", model);
    const auto motion = knot_trajectory(knots);
    require(motion->size() == model.size(), "a trajectory has the joints of the robot");
    std::vector<double> q(model.size()), qd(q), qdd(q);
    const auto finite = [](const std::vector<double>& x) {
      return std::all_of(x.begin(), x.end(), [](double each) { return std::isfinite(each); });
    };
    for (const double t : {-1.0, 0.0, 0.5, 1.0, 1e9, knots.t.back()}) {
      motion->at(t, q, qd, qdd);
      require(finite(q) && finite(qd) && finite(qdd), "the values of a trajectory are finite");
    }
    motion->at(knots.t.front(), q, qd, qdd);
    require(q == knots.q.front(), "a trajectory starts at its first point");
  } catch (const ParseError& error) {
    require(!std::string_view(error.what()).empty(), "an error has a message");
  } catch (const ArgumentError&) {  // from knot_trajectory
  }
}

}  // namespace

void trajectory(std::string_view text) {
  evaluate(text, [](auto... given) { return read_trajectory_csv(given...); });
}

void trajectory_yaml(std::string_view text) {
  evaluate(text, [](auto... given) { return read_trajectory_yaml(given...); });
}

void base_motion(std::string_view text) {
  try {
    const auto base = read_base_trajectory_csv(text, "fuzz.csv");
    for (const double t : {-1.0, 0.0, 0.5, 1.0, 1e9}) base->at(t);
  } catch (const ParseError& error) {
    require(!std::string_view(error.what()).empty(), "an error has a message");
  } catch (const ArgumentError&) {
  }
}

void mcap(std::string_view data) {
  static const Model model = model_from_dh(built_in_robot("planar3"));
  using Required = JointLogOptions::Required;
  for (const Required required : {Required::positions, Required::efforts}) {
    try {
      const JointLog log = parse_joint_log(data, "fuzz.mcap", model, {.required = required});
      require(!log.t.empty() && log.t.front() == 0.0, "a log has samples from t = 0 on");
      for (std::size_t k = 1; k < log.t.size(); ++k)
        require(log.t[k] > log.t[k - 1], "the times of a log increase");
      for (const auto* rows : {&log.q, &log.qd, &log.qdd, &log.tau}) {
        require(rows->empty() || rows->size() == log.t.size(), "a log has one row per time");
        for (const auto& row : *rows) {
          require(row.size() == model.size(), "a row has the joints of the robot");
          for (const double x : row) require(std::isfinite(x), "the values of a log are finite");
        }
      }
      require(!(required == Required::positions ? log.q : log.tau).empty(),
              "a log has what is required");
    } catch (const ParseError& error) {
      require(std::string_view(error.what()).find("fuzz.mcap") != std::string_view::npos,
              "an error names the file");
    }
  }
}

}  // namespace dynamics::fuzz
