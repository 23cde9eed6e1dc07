// SPDX-License-Identifier: Apache-2.0
#include "flexible/make_beam.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "dynamics_core/view.hpp"
#include "spatial/decompositions.hpp"

namespace dynamics::flexible {
namespace {

struct Quadrature {
  std::vector<double> x, weight;  ///< on 0 to 1
};

/// Gauss-Legendre quadrature; nodes by Newton's method on the Legendre polynomial.
Quadrature gauss_legendre(std::size_t points) {
  Quadrature rule;
  const auto n = static_cast<double>(points);
  for (std::size_t i = 0; i < points; ++i) {
    double t = std::cos(std::numbers::pi * (static_cast<double>(i) + 0.75) / (n + 0.5));
    double derivative = 0.0;
    for (int iteration = 0; iteration < 100; ++iteration) {
      double before = 1.0, value = t;
      for (std::size_t k = 2; k <= points; ++k) {
        const auto order = static_cast<double>(k);
        const double next = ((2.0 * order - 1.0) * t * value - (order - 1.0) * before) / order;
        before = value;
        value = next;
      }
      derivative = n * (t * value - before) / (t * t - 1.0);
      const double step = value / derivative;
      t -= step;
      if (std::abs(step) < 1e-15) break;
    }
    rule.x.push_back(0.5 * (1.0 - t));
    rule.weight.push_back(1.0 / ((1.0 - t * t) * derivative * derivative));
  }
  return rule;
}

/// Shape function j of a beam: modes along y first, then along z.
BeamShape shape_at(const BeamDescription& given, const BeamBasis& basis, std::size_t j, double x) {
  const int mode = static_cast<int>(j);
  return basis.at(mode < given.modes_y ? mode : mode - given.modes_y, x, given.length);
}

std::size_t mode_count(const BeamDescription& given) {
  return static_cast<std::size_t>(given.modes_y) + static_cast<std::size_t>(given.modes_z);
}

/// int_0^x s_j' s_k' dx within a direction, row-major.
std::vector<double> shortening_at(const BeamDescription& given, const BeamBasis& basis,
                                  const Quadrature& rule, double x) {
  const std::size_t m = mode_count(given), m_y = static_cast<std::size_t>(given.modes_y);
  std::vector<double> result(m * m, 0.0);
  for (std::size_t point = 0; point < rule.x.size(); ++point) {
    for (std::size_t j = 0; j < m; ++j) {
      const double slope = shape_at(given, basis, j, x * rule.x[point]).slope;
      for (std::size_t k = 0; k < m; ++k) {
        if ((j < m_y) != (k < m_y)) continue;
        result[j * m + k] +=
            x * rule.weight[point] * slope * shape_at(given, basis, k, x * rule.x[point]).slope;
      }
    }
  }
  return result;
}

struct Integrals {
  Eigen::MatrixXd products, curvatures;  ///< int s_j s_k dx and int s_j'' s_k'' dx
};

Integrals integrate(const BeamDescription& given, const BeamBasis& basis, const Quadrature& rule) {
  const auto m = static_cast<Eigen::Index>(mode_count(given));
  Integrals sum{Eigen::MatrixXd::Zero(m, m), Eigen::MatrixXd::Zero(m, m)};
  Eigen::VectorXd values(m), curvatures(m);
  for (std::size_t point = 0; point < rule.x.size(); ++point) {
    for (Eigen::Index j = 0; j < m; ++j) {
      const BeamShape shape =
          shape_at(given, basis, static_cast<std::size_t>(j), given.length * rule.x[point]);
      values[j] = shape.value;
      curvatures[j] = shape.curvature;
    }
    const double weight = given.length * rule.weight[point];
    sum.products += weight * values * values.transpose();
    sum.curvatures += weight * curvatures * curvatures.transpose();
  }
  return sum;
}

/// Largest |a_jk - b_jk| / sqrt(b_jj b_kk).
double relative_difference(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
  double largest = 0.0;
  for (Eigen::Index j = 0; j < a.rows(); ++j) {
    for (Eigen::Index k = 0; k < a.cols(); ++k) {
      const double difference = std::abs(a(j, k) - b(j, k)) / std::sqrt(b(j, j) * b(k, k));
      largest = max_propagating_nan(largest, difference);
    }
  }
  return largest;
}

/// Sets off-diagonal entries at round-off level to zero (those of orthogonal shapes).
Eigen::MatrixXd without_round_off(Eigen::MatrixXd matrix) {
  for (Eigen::Index j = 0; j < matrix.rows(); ++j) {
    for (Eigen::Index k = 0; k < matrix.cols(); ++k) {
      const double scale = std::sqrt(matrix(j, j) * matrix(k, k));
      if (j != k && std::abs(matrix(j, k)) < 1e-12 * scale) matrix(j, k) = 0.0;
    }
  }
  return matrix;
}

SparseMatrix sparse(const Eigen::MatrixXd& matrix) {
  SparseMatrix entries;
  for (Eigen::Index j = 0; j < matrix.rows(); ++j) {
    for (Eigen::Index k = 0; k < matrix.cols(); ++k) {
      if (matrix(j, k) == 0.0) continue;
      entries.push_back({static_cast<std::size_t>(j), static_cast<std::size_t>(k), matrix(j, k)});
    }
  }
  return entries;
}

/// Viscous damping matrix with the same damping ratio for every mode of the clamped link.
Eigen::MatrixXd modal_damping(const Eigen::MatrixXd& mass, const Eigen::MatrixXd& stiffness,
                              double ratio) {
  const Eigenpairs modes = generalized_eigenpairs(stiffness, mass);
  const Eigen::MatrixXd weighted = mass * modes.vectors;
  const Eigen::VectorXd rates = (2.0 * ratio) * modes.values.cwiseMax(0.0).cwiseSqrt();
  return weighted * rates.asDiagonal() * weighted.transpose();
}

void check(const std::string& element, const BeamDescription& given, const BeamBasis& basis) {
  const auto require_positive = [&](const char* what, double value, const char* unit) {
    if (!(value > 0.0) || !std::isfinite(value)) {
      throw ModelError(element,
                       fmt::format("its {} is {} {}; it must be positive", what, value, unit));
    }
  };
  const auto require_not_negative = [&](const char* what, double value) {
    if (!(value >= 0.0) || !std::isfinite(value)) {
      throw ModelError(element, fmt::format("its {} is {}; it must be zero or more", what, value));
    }
  };
  require_positive("length", given.length, "m");
  require_positive("mass per length", given.mass_per_length, "kg/m");
  if (given.modes_y > 0) require_positive("rigidity along y", given.rigidity_y, "N m^2");
  if (given.modes_z > 0) require_positive("rigidity along z", given.rigidity_z, "N m^2");
  require_not_negative("damping ratio", given.damping);
  require_not_negative("tip mass", given.tip_mass);
  require_not_negative("hub mass", given.hub_mass);
  for (const double moment : given.hub_inertia) require_not_negative("hub inertia", moment);
  const Eigen::Vector3d squares = given.hub_center.cwiseAbs2();
  const Eigen::Vector3d least =
      given.hub_mass * (Eigen::Vector3d::Constant(squares.sum()) - squares);
  for (Eigen::Index k = 0; k < 3; ++k) {
    // with room for round-off
    if (!(given.hub_inertia[k] >= least[k] * (1.0 - 1e-9))) {
      throw ModelError(
          element, fmt::format("its hub inertia about {} is {} kg m^2; about the root it must be "
                               "at least {} kg m^2, that of the hub mass at the hub center",
                               "xyz"[k], given.hub_inertia[k], least[k]));
    }
  }
  for (const auto& [direction, modes] :
       {std::pair("y", given.modes_y), std::pair("z", given.modes_z)}) {
    if (modes < 0 || modes > 6) {
      throw ModelError(
          element, fmt::format("it has {} modes along {}; it must have 0 to 6", modes, direction));
    }
    for (int mode = 0; mode < modes; ++mode) {
      const BeamShape root = basis.at(mode, 0.0, given.length);
      const BeamShape tip = basis.at(mode, given.length, given.length);
      const double scale = std::abs(tip.value) + std::abs(tip.slope) * given.length;
      const double at_root = std::abs(root.value) + std::abs(root.slope) * given.length;
      if (!(at_root <= 1e-9 * scale)) {
        throw ModelError(element, fmt::format("shape {} of basis '{}' is not clamped at the root: "
                                              "value and slope must be zero at x = 0",
                                              mode + 1, basis.name()));
      }
    }
  }
}

}  // namespace

bool has_stiffening(const BeamDescription& given, const FlexibleOptions& options) {
  return options.stiffening.value_or(given.stiffening);
}

BeamSection beam_section(const BeamDescription& given, const BeamBasis& basis,
                         const FlexibleOptions& options, bool stiffening, double x) {
  BeamSection at;
  const std::size_t m = mode_count(given);
  at.deflects = m > 0 && x > 0.0;
  if (!at.deflects) return at;
  at.x = x;
  for (std::size_t j = 0; j < m; ++j) {
    const BeamShape shape = shape_at(given, basis, j, x);
    at.shape.push_back(shape.value);
    at.slope.push_back(shape.slope);
  }
  if (stiffening) {
    at.shortening = shortening_at(given, basis, gauss_legendre(options.quadrature_points), x);
  }
  return at;
}

Beam make_beam(const std::string& link, const BeamDescription& given, const BeamBasis& basis,
               const FlexibleOptions& options) {
  const std::string element = "link '" + link + "'";
  check(element, given, basis);
  if (options.quadrature_points < 2) {
    throw ArgumentError(
        fmt::format("quadrature_points is {}; at least 2 are needed", options.quadrature_points));
  }
  const Quadrature rule = gauss_legendre(options.quadrature_points);
  const Integrals integrals = integrate(given, basis, rule);
  const Integrals finer = integrate(given, basis, gauss_legendre(2 * options.quadrature_points));
  const double error =
      max_propagating_nan(relative_difference(integrals.products, finer.products),
                          relative_difference(integrals.curvatures, finer.curvatures));
  if (!std::isfinite(error)) {
    throw ModelError(element, fmt::format("a shape of the basis '{}' is not finite along the beam",
                                          basis.name()));
  }
  if (!(error < 1e-9)) {
    throw ModelError(
        element, fmt::format("{} modes along y and {} along z are more than {} quadrature points "
                             "resolve (relative error {:.1g}): use fewer modes or more points",
                             given.modes_y, given.modes_z, options.quadrature_points, error));
  }

  Beam beam;
  beam.modes_y = static_cast<std::size_t>(given.modes_y);
  beam.modes_z = static_cast<std::size_t>(given.modes_z);
  beam.length = given.length;
  beam.stiffening = has_stiffening(given, options) && beam.modes() > 0;
  const std::size_t m = beam.modes();
  for (std::size_t point = 0; point <= rule.x.size(); ++point) {
    const bool tip = point == rule.x.size();
    if (tip && given.tip_mass == 0.0) break;
    BeamNode node{tip ? given.length : given.length * rule.x[point],
                  tip ? given.tip_mass : given.mass_per_length * given.length * rule.weight[point],
                  {},
                  {}};
    for (std::size_t j = 0; j < m; ++j) {
      node.shape.push_back(shape_at(given, basis, j, node.x).value);
    }
    if (beam.stiffening) node.shortening = shortening_at(given, basis, rule, node.x);
    beam.nodes.push_back(std::move(node));
  }

  beam.shape_integral.assign(m, 0.0);
  beam.moment_integral.assign(m, 0.0);
  const auto size = static_cast<Eigen::Index>(m);
  Eigen::MatrixXd products = Eigen::MatrixXd::Zero(size, size);
  for (const BeamNode& node : beam.nodes) {
    beam.mass += node.mass;
    beam.first += node.mass * node.x;
    beam.second += node.mass * node.x * node.x;
    for (std::size_t j = 0; j < m; ++j) {
      beam.shape_integral[j] += node.mass * node.shape[j];
      beam.moment_integral[j] += node.mass * node.x * node.shape[j];
    }
    const Eigen::Map<const Eigen::VectorXd> shape(node.shape.data(), size);
    products += node.mass * shape * shape.transpose();
  }
  products = without_round_off(products);
  beam.product_integrals = sparse(products);
  if (!beam.stiffening) beam.nodes.clear();

  // amplitudes along y couple with y only, along z with z only
  Eigen::MatrixXd mass = Eigen::MatrixXd::Zero(size, size), stiffness = mass, damping = mass;
  const auto fill = [&](Eigen::Index first, Eigen::Index modes, double rigidity) {
    if (modes == 0) return;
    mass.block(first, first, modes, modes) = products.block(first, first, modes, modes);
    stiffness.block(first, first, modes, modes) =
        rigidity * without_round_off(integrals.curvatures.block(first, first, modes, modes));
    if (given.damping == 0.0) return;
    damping.block(first, first, modes, modes) =
        modal_damping(mass.block(first, first, modes, modes),
                      stiffness.block(first, first, modes, modes), given.damping);
  };
  fill(0, given.modes_y, given.rigidity_y);
  fill(given.modes_y, given.modes_z, given.rigidity_z);
  beam.stiffness = sparse(stiffness);
  beam.damping = sparse(damping.size() > 0 ? without_round_off(damping) : damping);
  for (Eigen::Index j = 0; j < size; ++j) {
    for (Eigen::Index k = 0; k < size; ++k) beam.mass_matrix.push_back(mass(j, k));
  }
  return beam;
}

}  // namespace dynamics::flexible
