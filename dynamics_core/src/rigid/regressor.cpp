// SPDX-License-Identifier: Apache-2.0
#include "dynamics_core/regressor.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <random>

#include "rigid/recursions/joint_wrenches.hpp"
#include "rigid/workspace_memory.hpp"
#include "spatial/decompositions.hpp"

namespace dynamics {
namespace {

constexpr std::size_t ten = 10;
constexpr const char* names[ten] = {"mass", "hx", "hy", "hz", "xx", "xy", "xz", "yy", "yz", "zz"};

Eigen::Index idx(std::size_t i) { return static_cast<Eigen::Index>(i); }

/// Columns 0 to 2 of the moment, of xx xy xz yy yz zz, that turn J v into a product with J's six.
Eigen::Matrix<double, 3, 6> tensor_times(const Eigen::Vector3d& v) {
  Eigen::Matrix<double, 3, 6> m;
  m << v.x(), v.y(), v.z(), 0.0, 0.0, 0.0,  //
      0.0, v.x(), 0.0, v.y(), v.z(), 0.0,   //
      0.0, 0.0, v.x(), 0.0, v.y(), v.z();
  return m;
}

}  // namespace

std::size_t parameter_count(const Model& model) { return (ten + 3) * model.body_count(); }

std::vector<std::string> parameter_names(const Model& model) {
  std::vector<std::string> result;
  for (const Body& body : model.bodies()) {
    for (const char* name : names) result.push_back(body.joint + "." + name);
  }
  for (const char* kind : {".damping", ".friction", ".rotor_inertia"}) {
    for (const Body& body : model.bodies()) result.push_back(body.joint + kind);
  }
  return result;
}

Eigen::VectorXd parameters(const Model& model) {
  const std::size_t n = model.body_count();
  Eigen::VectorXd pi(idx(parameter_count(model)));
  for (std::size_t i = 0; i < n; ++i) {
    const TreeBody& body = model.tree()[i];
    const auto& h = body.first_moment;
    const auto& j = body.inertia;
    pi.segment<10>(idx(ten * i)) << body.mass, h[0], h[1], h[2], j[0], j[1], j[2], j[3], j[4], j[5];
    pi[idx(ten * n + i)] = body.damping;
    pi[idx(ten * n + n + i)] = body.friction;
    pi[idx(ten * n + 2 * n + i)] = body.rotor_inertia;
  }
  return pi;
}

Status try_regressor(const Model& model, Workspace& workspace, ConstVector q, ConstVector qd,
                     ConstVector qdd, Eigen::Ref<Eigen::MatrixXd> Y,
                     const std::optional<BaseMotion>& base) noexcept {
  Workspace::Memory& memory = workspace.memory();
  const Status status = check_workspace(model, memory)
                            .vector("q", q, memory.size)
                            .vector("qd", qd, memory.size)
                            .vector("qdd", qdd, memory.size)
                            .matrix("Y", Y, memory.size, parameter_count(model))
                            .base(base)
                            .status();
  if (status != Status::ok) return status;
  const Tree& tree = model.tree();
  const std::size_t n = tree.size();
  const double* positions = body_positions(model, q, memory.q);
  const double* rates = body_rates(model, qd, memory.qd);
  const double* accelerations = body_rates(model, qdd, memory.qdd);
  // the bodies' motions, gravity included, as the joints' wrenches leave them behind
  kernel::joint_wrenches<double>(tree, memory.joint_wrenches.data(), base_state(model, base),
                                 nullptr, positions, rates, accelerations);
  Y.setZero();
  const auto add = [&](std::size_t body, std::size_t column, double value) {
    const Body& row = model.bodies()[body];
    Y(idx(row.coordinate), idx(column)) += row.multiplier * value;
  };
  for (std::size_t i = 0; i < n; ++i) {
    const auto& motion = memory.joint_wrenches[i].motion;
    const Eigen::Vector3d omega = to_eigen(motion.omega), alpha = to_eigen(motion.alpha),
                          a = to_eigen(motion.a);
    // f = m a + (alpha x + omega x omega x) h,  n = h x a + J alpha + omega x J omega
    Eigen::Matrix<double, 3, 10> f, m;
    f.setZero();
    m.setZero();
    f.col(0) = a;
    f.middleCols<3>(1) = skew(alpha) + skew(omega) * skew(omega);
    m.middleCols<3>(1) = -skew(a);
    m.rightCols<6>() = tensor_times(alpha) + skew(omega) * tensor_times(omega);
    for (std::size_t k = i;;) {
      for (std::size_t c = 0; c < ten; ++c) {
        add(k, ten * i + c, tree[k].prismatic ? f(2, idx(c)) : m(2, idx(c)));
      }
      if (tree[k].parent < 0) break;
      const auto& at = memory.joint_wrenches[k].at;
      for (Eigen::Index c = 0; c < 10; ++c) {
        const auto up = [&](const Eigen::Vector3d& v) {
          return to_eigen(kernel::to_parent(tree[k], at, from_eigen(v)));
        };
        const Eigen::Vector3d force = up(f.col(c));
        m.col(c) = up(m.col(c)) + to_eigen(at.r).cross(force);
        f.col(c) = force;
      }
      k = static_cast<std::size_t>(tree[k].parent);
    }
    const double e = model.friction_velocity();
    add(i, ten * n + i, rates[i]);
    add(i, ten * n + n + i, rates[i] / std::sqrt(rates[i] * rates[i] + e * e));
    add(i, ten * n + 2 * n + i, accelerations[i]);
  }
  return Status::ok;
}

void regressor(const Model& model, Workspace& workspace, ConstVector q, ConstVector qd,
               ConstVector qdd, Eigen::Ref<Eigen::MatrixXd> Y,
               const std::optional<BaseMotion>& base) {
  require(try_regressor(model, workspace, q, qd, qdd, Y, base), workspace.memory().problem, model);
}

Eigen::MatrixXd regressor(const Model& model, ConstVector q, ConstVector qd, ConstVector qdd,
                          const std::optional<BaseMotion>& base) {
  Workspace workspace(model);
  Eigen::MatrixXd Y(idx(model.size()), idx(parameter_count(model)));
  regressor(model, workspace, q, qd, qdd, Y, base);
  return Y;
}

BaseParameters base_parameters(const Model& model, std::size_t samples) {
  if (samples == 0) throw ArgumentError("base_parameters needs at least one sample");
  const std::size_t n = model.size(), columns = ten * model.body_count();
  constexpr std::size_t largest = std::numeric_limits<std::ptrdiff_t>::max() / sizeof(double);
  if (n > 0 && samples > largest / n / columns)
    throw ArgumentError(fmt::format("base_parameters: {} samples are too many", samples));
  std::mt19937 engine(1);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  const auto random = [&](double limit) {
    Eigen::VectorXd v(idx(n));
    for (double& x : v) x = limit * uniform(engine);
    return v;
  };
  Workspace workspace(model);
  Eigen::MatrixXd stacked(idx(n * samples), idx(columns)), Y(idx(n), idx(parameter_count(model)));
  for (std::size_t k = 0; k < samples; ++k) {
    const Eigen::VectorXd q = random(3.0), qd = random(2.0), qdd = random(5.0);
    regressor(model, workspace, q, qd, qdd, Y);
    stacked.middleRows(idx(n * k), idx(n)) = Y.leftCols(idx(columns));
  }
  BaseParameters result;
  if (columns == 0) return result;
  Eigen::VectorXd scale = stacked.colwise().norm().transpose();
  for (double& s : scale) s = s > 1e-9 ? s : 1.0;
  const PivotedQr qr = pivoted_qr(stacked * scale.cwiseInverse().asDiagonal(), 1e-9);
  const Eigen::Index rank = idx(qr.rank);
  result.count = qr.rank;
  result.columns.assign(qr.pivots.begin(), qr.pivots.begin() + rank);
  // Y P = Q [R1 R2]: the dependent columns are the independent ones times R1^-1 R2
  const Eigen::MatrixXd combination =
      solve_linear(qr.R.topLeftCorner(rank, rank), qr.R.topRows(rank));
  result.combination.resize(rank, idx(columns));
  for (std::size_t c = 0; c < columns; ++c)
    result.combination.col(idx(qr.pivots[c])) = combination.col(idx(c)) * scale[idx(qr.pivots[c])];
  for (Eigen::Index c = 0; c < rank; ++c) {
    result.combination.row(c) /= scale[idx(result.columns[static_cast<std::size_t>(c)])];
  }
  return result;
}

}  // namespace dynamics
