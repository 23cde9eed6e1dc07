// SPDX-License-Identifier: Apache-2.0
// Saha 1999, section 6.1, and Saha 2003, section 4: torques, free fall and forced run of the planar
// arm, compared with explicit equations.

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "forced_runs.hpp"
#include "ode/make_integrator.hpp"
#include "ode/solve.hpp"
#include "runs.hpp"

namespace dynamics::tools {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector2d;
using Eigen::Vector3d;

/// Equations of motion of three rods in a plane by d'Alembert's principle from the positions of the
/// mass centers, c_k = sum_{j<k} a_j e(phi_j) + s_k e(phi_k). Independent of the library.
class ExplicitPlanar {
 public:
  explicit ExplicitPlanar(const DhTable& table) : gravity_(table.gravity.x(), table.gravity.y()) {
    for (std::size_t k = 0; k < 3; ++k) {
      length_[k] = table.links[k].a;
      center_[k] = table.links[k].a - table.links[k].r.x();
      mass_[k] = table.links[k].mass;
      inertia_[k] = table.links[k].inertia(2, 2);
    }
  }

  /// M, and the bias torques (tau for qdd = 0).
  void terms(const Vector3d& q, const Vector3d& qd, Matrix3d& M, Vector3d& bias) const {
    std::array<Vector2d, 3> along, across;  // e(phi) and its derivative
    std::array<double, 3> rate{};
    double angle = 0.0, speed = 0.0;
    for (std::size_t k = 0; k < 3; ++k) {
      const auto i = static_cast<Eigen::Index>(k);
      angle += q[i];
      speed += qd[i];
      rate[k] = speed;
      along[k] = {std::cos(angle), std::sin(angle)};
      across[k] = {-std::sin(angle), std::cos(angle)};
    }
    M.setZero();
    bias.setZero();
    for (std::size_t k = 0; k < 3; ++k) {
      Vector2d acceleration = -gravity_;  // of the mass center for qdd = 0, minus gravity
      for (std::size_t j = 0; j <= k; ++j) {
        const double arm = j < k ? length_[j] : center_[j];
        acceleration -= arm * rate[j] * rate[j] * along[j];
      }
      std::array<Vector2d, 3> slope;  // dc_k/dq_i
      for (std::size_t i = 0; i < 3; ++i) {
        slope[i].setZero();
        for (std::size_t j = i; j <= k; ++j)
          slope[i] += (j < k ? length_[j] : center_[j]) * across[j];
      }
      for (std::size_t i = 0; i <= k; ++i) {
        const auto row = static_cast<Eigen::Index>(i);
        bias[row] += mass_[k] * slope[i].dot(acceleration);
        for (std::size_t j = 0; j <= k; ++j) {
          M(row, static_cast<Eigen::Index>(j)) += mass_[k] * slope[i].dot(slope[j]) + inertia_[k];
        }
      }
    }
  }

 private:
  Vector2d gravity_;
  std::array<double, 3> length_{}, center_{}, mass_{}, inertia_{};
};

Vector3d explicit_torque(const ExplicitPlanar& equations, const Vector3d& q, const Vector3d& qd,
                         const Vector3d& qdd) {
  Matrix3d M;
  Vector3d bias;
  equations.terms(q, qd, M, bias);
  return M * qdd + bias;
}

std::vector<Column> explicit_torques(const ExplicitPlanar& equations, const Recording& run) {
  std::vector<Column> tau(3);
  for (std::size_t k = 0; k < run.size(); ++k) {
    const auto at = [k](const std::vector<Column>& columns) {
      return Vector3d(columns[0][k], columns[1][k], columns[2][k]);
    };
    const Vector3d torque = explicit_torque(equations, at(run.q), at(run.qd), at(run.qdd));
    for (std::size_t i = 0; i < 3; ++i) tau[i].push_back(torque[static_cast<Eigen::Index>(i)]);
  }
  return tau;
}

/// q at the sample times of `like`, from the explicit equations: free fall, or a forced run along
/// `trajectory`.
std::vector<Column> explicit_run(const ExplicitPlanar& equations, const Recording& like,
                                 const Trajectory* trajectory) {
  const auto acceleration = [&](const double& t, std::span<const double> q,
                                std::span<const double> qd, std::span<double> qdd) {
    Vector3d torque = Vector3d::Zero();
    if (trajectory != nullptr) {
      Vector3d desired, rate, second;
      trajectory->at(t, {desired.data(), 3}, {rate.data(), 3}, {second.data(), 3});
      torque = explicit_torque(equations, desired, rate, second);
    }
    Matrix3d M;
    Vector3d bias;
    equations.terms(Vector3d(q[0], q[1], q[2]), Vector3d(qd[0], qd[1], qd[2]), M, bias);
    const Vector3d a = M.llt().solve(torque - bias);
    for (std::size_t i = 0; i < 3; ++i) qdd[i] = a[static_cast<Eigen::Index>(i)];
  };
  const auto system = ode::System<double>::second_order(3, acceleration);
  ode::Options<double> options;
  options.rtol = 1e-12;
  const auto integrator = ode::make_integrator<double>("dop853", system, options);
  std::vector<Column> q(3);
  const auto on_sample = [&](const double&, std::span<const double> y) {
    for (std::size_t i = 0; i < 3; ++i) q[i].push_back(y[i]);
  };
  ode::RunPlan<double> plan;
  plan.end_time = like.t.back();
  plan.sample_times = like.t;
  plan.on_sample = on_sample;
  ode::Solver<double> solver(*integrator);
  solver.run(0.0, std::vector<double>(6, 0.0), plan);  // q is shorter if the run ends early
  return q;
}

/// A panel with one line per joint.
Panel three_lines(const std::string& title, const std::string& unit, const char* symbol,
                  const Recording& run, const std::vector<Column>& columns) {
  Panel panel = panel_over_time(title, unit);
  for (std::size_t i = 0; i < 3; ++i)
    panel.lines.push_back({fmt::format("{}_{}", symbol, i + 1), run.t, columns[i]});
  return panel;
}

void show_torques(ValidationReport& report, const PaperRobot& robot,
                  const ExplicitPlanar& equations) {
  const Recording torques = robot.torques();
  const double error = largest_difference(torques.tau, explicit_torques(equations, torques));
  const Panel all =
      three_lines("Joint torques along Eq. (38), T = 10 s", "N m", "tau", torques, torques.tau);
  report.figure("planar_torques",
                "Joint torques of the planar arm along the cycloid (1999, Fig. 5)",
                SvgFigure({all}, 1));
  add_extremes(report, torques, torques.tau, "N m", "N");
  report.claim({.item = "Saha 1999, Fig. 5",
                .paper = "The torques match the explicit expressions of Angeles (1997).",
                .ours = "The text prints neither the expressions nor the arm's parameters.",
                .verdict = Verdict::nothing_to_compare});
  report.check("The torques of the recursion equal those of our explicit equations.",
               fmt::format("They differ by at most {:.1e} N m.", error), error < 1e-12);
}

void show_free_fall(ValidationReport& report, const PaperRobot& robot,
                    const ExplicitPlanar& equations) {
  SimulationOptions options = robot.free_fall(10.0);
  options.rtol = 1e-12;
  const Recording fall = robot.run(options, report, 0.0, 0.3);
  options.duration = 3.0;
  const Recording first = robot.run(options, report, 0.3, 0.4);
  const double error = largest_difference(first.q, explicit_run(equations, first, nullptr));
  report.figure("planar_free_fall", "Joint angles of the planar arm in free fall (1999, Fig. 6)",
                SvgFigure({three_lines("Free fall from rest", "rad", "th", fall, fall.q)}, 1));
  const double early = fall.q[0][10];
  report.claim({.item = "Saha 1999, Fig. 6",
                .paper = "theta_1 first grows in the negative direction.",
                .ours = fmt::format("theta_1(0.1 s) = {:.4f} rad.", early),
                .verdict = judge(early < 0.0)});
  std::size_t reversals = std::numeric_limits<std::size_t>::max();  // of the joint with the fewest
  for (const Column& rate : fall.qd) {
    std::size_t count = 0;
    for (std::size_t k = 1; k < rate.size(); ++k)
      if (rate[k] * rate[k - 1] < 0.0) ++count;
    reversals = std::min(reversals, count);
  }
  report.claim({.item = "Saha 1999, Fig. 6",
                .paper = "All joint angles vary as those of a triple pendulum.",
                .ours = fmt::format("Each joint reverses at least {} times in 10 s.", reversals),
                .verdict = judge(reversals > 5)});
  report.claim({.item = "Saha 2003, planar arm",
                .paper = "Free fall: exactly as from the explicit equations. No plot is shown.",
                .ours = "The text prints no number and no parameters.",
                .verdict = Verdict::nothing_to_compare});
  report.check("The free fall equals that of our explicit equations.",
               fmt::format("Over 3 s the angles differ by at most {:.1e} rad.", error),
               error < 1e-6);
  report.check("Conservation of energy over 10 s of free fall.",
               fmt::format("Constant to {:.1e} of the largest kinetic energy with rtol 1e-12.",
                           fall.statistics.energy_drift),
               fall.statistics.energy_drift < 1e-10);
}

void show_forced(ValidationReport& report, const PaperRobot& robot,
                 const ExplicitPlanar& equations) {
  const ForcedRuns runs = forced_runs(
      report, robot, {.methods = {paper_rkf()}, .tolerance = 3e-15, .wide_tolerance = 1e-28}, 0.5,
      1.0);
  report.paragraph(
      "Forced run (2003, section 4): the torques along Eq. (18) as functions of time, without "
      "feedback. The rods pass through upright positions, where any error grows exponentially.");
  report.figure("planar_forced",
                "Forced run of the planar arm (2003, section 4; the paper shows no plot)",
                SvgFigure(forced_panels(runs), 3));
  report.figure("planar_departure", "Deviation of the forced run of the planar arm from its path",
                SvgFigure({deviation_panel(runs)}, 1));
  show_departures(report, runs);
  SimulationOptions options = robot.forced();
  options.rtol = 1e-12;
  options.duration = 2.0;
  const Recording first = robot.run(options, report, 1.0, 1.0);
  const double error =
      largest_difference(first.q, explicit_run(equations, first, options.trajectory.get()));
  report.claim({.item = "Saha 2003, planar arm",
                .paper = "Forced run: exactly as from the explicit equations. No plot is shown.",
                .ours = "The text prints no number and no parameters.",
                .verdict = Verdict::nothing_to_compare});
  report.check("The forced run equals that of our explicit equations.",
               fmt::format("Over 2 s the angles differ by at most {:.1e} rad.", error),
               error < 1e-6);
  check_accuracy(report, runs, 3.0, 8.0);
}

}  // namespace

void validate_planar(ValidationReport& report, const PaperChanges& changes) {
  const PaperRobot robot("planar3", changes);
  const ExplicitPlanar equations(robot.table());
  report.heading(
      "Planar three-revolute arm (Saha 1999, section 6.1, Figs. 5 and 6; Saha 2003, section 4)");
  report.paragraph(
      "The papers give no parameters for the arm; ours has three uniform rods "
      "(`robots/planar3.yaml`). Our explicit equations follow from the positions of the mass "
      "centers and share no code with the library.");
  show_torques(report, robot, equations);
  show_free_fall(report, robot, equations);
  show_forced(report, robot, equations);
  report.end_claims();
}

}  // namespace dynamics::tools
