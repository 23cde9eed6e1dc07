// SPDX-License-Identifier: Apache-2.0
// Equivalence of the formulations (Turney 1980), and of Nasser's to Walker and Orin's (Nasser
// 1990).

#include <fmt/format.h>

#include <Eigen/Core>
#include <cmath>
#include <random>

#include "dynamics_core/formulations.hpp"
#include "dynamics_core/rigid_dynamics.hpp"
#include "dynamics_core/view.hpp"
#include "runs.hpp"

namespace dynamics::tools {
namespace {

using Eigen::VectorXd;
using formulations::Task;

class RandomState {
 public:
  VectorXd vector(std::size_t n, double size) {
    VectorXd v(static_cast<Eigen::Index>(n));
    for (double& x : v) x = std::uniform_real_distribution<double>(-size, size)(engine_);
    return v;
  }

 private:
  std::mt19937 engine_{1980};
};

double difference(const VectorXd& a, const VectorXd& b) {
  return max_abs(a - b) / max_propagating_nan(max_abs(a), max_abs(b));
}

std::string number(double x) { return x == 0.0 ? "0" : fmt::format("{:.0e}", x); }

/// Adds a table of the largest differences between the formulations over random states; returns the
/// largest one.
double compare(ValidationReport& report, const Model& model, Task task,
               const std::vector<std::string>& names, const ExternalInputs& external = {}) {
  constexpr int samples = 50;
  const std::size_t n = model.size();
  std::vector<std::vector<double>> largest(names.size(), std::vector<double>(names.size(), 0.0));
  double worst = 0.0;
  RandomState random;
  for (int sample = 0; sample < samples; ++sample) {
    const VectorXd q = random.vector(n, 3.0), qd = random.vector(n, 2.0);
    const VectorXd given = random.vector(n, 10.0);
    std::vector<VectorXd> results;
    for (const std::string& name : names) {
      const auto& formulation = formulations::find(name);
      results.push_back(
          task == Task::inverse
              ? formulations::inverse_dynamics(formulation, model, q, qd, given, external)
              : formulations::forward_dynamics(formulation, model, q, qd, given, external));
    }
    for (std::size_t i = 0; i < names.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        largest[i][j] = max_propagating_nan(largest[i][j], difference(results[i], results[j]));
        worst = max_propagating_nan(worst, largest[i][j]);
      }
    }
    report.progress(static_cast<double>(sample) / samples);
  }
  std::vector<std::string> header = {""};
  header.insert(header.end(), names.begin(), names.end() - 1);
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 1; i < names.size(); ++i) {
    std::vector<std::string> row = {names[i]};
    for (std::size_t j = 0; j + 1 < names.size(); ++j)
      row.push_back(j < i ? number(largest[i][j]) : "");
    rows.push_back(std::move(row));
  }
  report.table(header, rows);
  return worst;
}

}  // namespace

void validate_equivalence(ValidationReport& report, const PaperChanges& changes) {
  report.heading("Equivalence of the formulations (Turney 1980; Nasser 1990)");
  report.paragraph(
      "Turney derives the Lagrange, Newton-Euler and modified Newton-Euler equations from each "
      "other, and M and C from Newton-Euler by strobing. Largest difference of the joint torques "
      "of our implementations, relative to the largest torque, over 50 random states of the "
      "PUMA:");
  const PaperRobot puma("puma", changes);
  const double inverse = compare(
      report, puma.model(), Task::inverse,
      {"lagrange", "newton-euler", "modified-newton-euler", "strobing", "denoc-explicit", "denoc"});
  report.claim({.item = "Turney 1980, equivalence",
                .paper = "Lagrange, Newton-Euler and modified Newton-Euler are equivalent "
                         "(sections 4 and 5).",
                .ours = "A proof; the text prints no number.",
                .verdict = Verdict::nothing_to_compare});
  report.check("Our implementations give the same torques.",
               fmt::format("All six agree to {:.0e}.", inverse), inverse < 1e-11);
  report.end_claims();

  report.paragraph(
      "Nasser reports hinge accelerations identical to Walker and Orin's on the Space Shuttle arm. "
      "Largest difference of the accelerations of our implementations, relative to the largest "
      "acceleration, over 50 random states of the PUMA, then of the Stanford arm (with a "
      "prismatic joint) on an accelerated base:");
  const std::vector<std::string> forward = {"walker-orin", "nasser", "articulated-body", "udut"};
  const double fixed_base = compare(report, puma.model(), Task::forward, forward);
  const PaperRobot stanford("stanford", changes);
  ExternalInputs moving;
  moving.base.emplace();
  moving.base->acceleration.linear = {1.0, -2.0, 3.0};
  const double moving_base = compare(report, stanford.model(), Task::forward, forward, moving);
  report.claim({.item = "Nasser 1990, verification",
                .paper = "Verified analytically with a planar arm of two links (section 1).",
                .ours = "The text prints neither the equations nor a number.",
                .verdict = Verdict::nothing_to_compare});
  report.claim({.item = "Nasser 1990, verification",
                .paper = "Identical to Walker and Orin's on the Space Shuttle arm (section 1).",
                .ours = "The text prints neither the arm's parameters nor a number.",
                .verdict = Verdict::nothing_to_compare});
  report.check("Our implementations give the same accelerations.",
               fmt::format("PUMA: all four agree to {:.0e}; Stanford arm on a moving base: to "
                           "{:.0e} (including the conditioning of M).",
                           fixed_base, moving_base),
               fixed_base < 1e-9 && moving_base < 1e-9);
  report.end_claims();
}

}  // namespace dynamics::tools
