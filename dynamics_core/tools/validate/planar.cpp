// SPDX-License-Identifier: Apache-2.0
// Saha 1999, section 6.1: torques and free fall of the planar arm, compared with explicit
// equations.

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <array>
#include <cmath>

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

std::vector<Column> explicit_torques(const ExplicitPlanar& equations, const Recording& run) {
  std::vector<Column> tau(3);
  for (std::size_t k = 0; k < run.size(); ++k) {
    Vector3d q, qd, qdd, bias;
    Matrix3d M;
    for (Eigen::Index i = 0; i < 3; ++i) {
      const auto j = static_cast<std::size_t>(i);
      q[i] = run.q[j][k];
      qd[i] = run.qd[j][k];
      qdd[i] = run.qdd[j][k];
    }
    equations.terms(q, qd, M, bias);
    const Vector3d torque = M * qdd + bias;
    for (std::size_t i = 0; i < 3; ++i) tau[i].push_back(torque[static_cast<Eigen::Index>(i)]);
  }
  return tau;
}

std::vector<Column> explicit_fall(const ExplicitPlanar& equations, const Recording& like) {
  const auto acceleration = [&](const double&, std::span<const double> q,
                                std::span<const double> qd, std::span<double> qdd) {
    Matrix3d M;
    Vector3d bias;
    equations.terms(Vector3d(q[0], q[1], q[2]), Vector3d(qd[0], qd[1], qd[2]), M, bias);
    const Vector3d a = M.llt().solve(-bias);
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

}  // namespace

void validate_planar(ValidationReport& report) {
  const PaperRobot robot("planar3");
  const ExplicitPlanar equations(robot.table());
  report.heading("Planar three-revolute arm (Saha 1999, section 6.1, Figs. 5 and 6)");
  report.paragraph(
      "The paper gives no parameters for the arm; ours has three uniform rods "
      "(`robots/planar3.yaml`). The explicit equations follow from the positions of the mass "
      "centers and share no code with the library.");

  const Recording torques = robot.torques();
  const double torque_error = largest_difference(torques.tau, explicit_torques(equations, torques));
  const Panel all =
      three_lines("Joint torques along Eq. (38), T = 10 s", "N m", "tau", torques, torques.tau);
  report.figure("planar_torques", "Joint torques of the planar arm along the cycloid (Fig. 5)",
                SvgFigure({all}, 1));
  add_extremes(report, torques, torques.tau, "N m", "N");

  SimulationOptions options = robot.free_fall(10.0);
  options.rtol = 1e-12;
  const Recording fall = robot.run(options, report, 0.1, 0.7);
  SimulationOptions short_options = robot.free_fall(3.0);
  short_options.rtol = 1e-12;
  const Recording first = robot.run(short_options, report, 0.7, 0.9);
  const std::vector<Column> expected = explicit_fall(equations, first);
  const double fall_error = largest_difference(first.q, expected);
  const Panel angles = three_lines("Free fall from rest", "rad", "th", fall, fall.q);
  report.figure("planar_free_fall", "Joint angles of the planar arm in free fall (Fig. 6)",
                SvgFigure({angles}, 1));

  report.claim("The torques of RIDIM equal those of the explicit expressions.",
               fmt::format("They differ by at most {:.1e} N m.", torque_error),
               torque_error < 1e-12);
  report.claim("theta_1 first grows in the negative direction.",
               fmt::format("theta_1(0.1 s) = {:.4f} rad.", fall.q[0][10]), fall.q[0][10] < 0.0);
  report.claim("The free fall equals that of the explicit equations (2003, section 4).",
               fmt::format("Over 3 s the angles differ by at most {:.1e} rad.", fall_error),
               fall_error < 1e-6);
  std::size_t swings = 0;
  for (std::size_t k = 1; k < fall.size(); ++k) swings += fall.qd[0][k] * fall.qd[0][k - 1] < 0.0;
  report.claim("It behaves as a triple pendulum.",
               fmt::format("theta_1 reverses {} times in 10 s; the energy is constant to {:.1e} of "
                           "the largest kinetic energy.",
                           swings, fall.statistics.energy_drift),
               swings > 5 && fall.statistics.energy_drift < 1e-10);
  report.end_claims();
}

}  // namespace dynamics::tools
