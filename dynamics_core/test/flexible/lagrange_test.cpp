// SPDX-License-Identifier: Apache-2.0
// The flexible dynamics compared with Lagrange's equations of the material points.
//
// The reference does not use the library's recursions: the positions of point masses along every
// beam (and of equivalent points for rigid links) are functions of all coordinates, evaluated in 50
// digits and differentiated by finite differences: M = sum m J^T J, bias = sum m J^T (d^2 r/dt^2 -
// g) plus strain. The shapes are those of Eq. (43).

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <boost/math/quadrature/gauss.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <map>

#include "dynamics_core/flexible_links.hpp"
#include "sample_beams.hpp"
#include "support/compare.hpp"

namespace dynamics {
namespace {

using test::idx;
namespace mp = boost::multiprecision;
using Wide = mp::number<mp::cpp_bin_float<50>, mp::et_off>;
using Vector = std::array<Wide, 3>;
using Matrix = std::array<Vector, 3>;  // rows

Vector operator+(const Vector& a, const Vector& b) {
  return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}
Vector operator*(const Matrix& m, const Vector& v) {
  Vector r;
  for (std::size_t i = 0; i < 3; ++i) r[i] = m[i][0] * v[0] + m[i][1] * v[1] + m[i][2] * v[2];
  return r;
}
Matrix operator*(const Matrix& a, const Matrix& b) {
  Matrix r;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      r[i][j] = a[i][0] * b[0][j] + a[i][1] * b[1][j] + a[i][2] * b[2][j];
    }
  }
  return r;
}
Matrix wide(const Eigen::Matrix3d& m) {
  Matrix r;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j)
      r[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)] = m(i, j);
  }
  return r;
}
Vector wide(const Eigen::Vector3d& v) { return {v.x(), v.y(), v.z()}; }

/// Rodrigues' formula.
Matrix rotation_about(const Vector& axis, const Wide& angle) {
  const Wide c = cos(angle), s = sin(angle), v = 1 - c;
  const auto& [x, y, z] = axis;
  return {Vector{c + v * x * x, v * x * y - s * z, v * x * z + s * y},
          Vector{v * y * x + s * z, c + v * y * y, v * y * z - s * x},
          Vector{v * z * x - s * y, v * z * y + s * x, c + v * z * z}};
}

/// Eq. (43) with the sigma of a cantilever, and its derivatives.
struct Shape {
  Wide value, slope, curvature;
};
Shape shape(int mode, const Wide& x, const Wide& length) {
  static const auto constants = [] {  // m and sigma of the first modes
    std::array<std::pair<Wide, Wide>, 4> made;
    for (std::size_t j = 0; j < made.size(); ++j) {
      Wide m = (j + Wide(0.5)) * boost::math::constants::pi<Wide>();
      for (int i = 0; i < 12; ++i) {
        m -= (cos(m) * cosh(m) + 1) / (cos(m) * sinh(m) - sin(m) * cosh(m));
      }
      made[j] = {m, (sin(m) + sinh(m)) / (cos(m) + cosh(m))};
    }
    return made;
  }();
  const auto& [m, sigma] = constants.at(static_cast<std::size_t>(mode));
  const Wide z = m * x / length, k = m / length;
  const Wide c = cos(z), s = sin(z), grow = exp(z);
  const Wide ch = (grow + 1 / grow) / 2, sh = (grow - 1 / grow) / 2;
  return {s - sh - sigma * (c - ch), k * (c - ch - sigma * (-s - sh)),
          k * k * (-s - sh - sigma * (-c - ch))};
}

struct Rule {
  std::vector<Wide> x, weight;  // on 0 to 1
};
const Rule& rule() {
  static const Rule made = [] {
    using Gauss = boost::math::quadrature::gauss<Wide, 30>;
    Rule r;
    for (std::size_t i = 0; i < Gauss::abscissa().size(); ++i) {
      for (const int sign : {-1, 1}) {
        r.x.push_back((1 + sign * Gauss::abscissa()[i]) / 2);
        r.weight.push_back(Gauss::weights()[i] / 2);
      }
    }
    return r;
  }();
  return made;
}

/// Precomputed shapes at one station of a beam.
struct Station {
  Wide x;
  std::vector<Shape> y, z;
  std::vector<std::vector<Wide>> shortening_y, shortening_z;  // int_0^x s_j' s_k'
};

Station station(const BeamDescription& beam, const Wide& x) {
  Station at;
  at.x = x;
  const auto fill = [&](int modes, std::vector<Shape>& shapes,
                        std::vector<std::vector<Wide>>& shortening) {
    for (int j = 0; j < modes; ++j) shapes.push_back(shape(j, x, beam.length));
    if (!beam.stiffening) return;
    shortening.assign(shapes.size(), std::vector<Wide>(shapes.size(), 0));
    for (std::size_t p = 0; p < rule().x.size(); ++p) {
      std::vector<Wide> slopes;
      for (int j = 0; j < modes; ++j)
        slopes.push_back(shape(j, x * rule().x[p], beam.length).slope);
      for (std::size_t j = 0; j < slopes.size(); ++j) {
        for (std::size_t k = 0; k < slopes.size(); ++k) {
          shortening[j][k] += x * rule().weight[p] * slopes[j] * slopes[k];
        }
      }
    }
  };
  fill(beam.modes_y, at.y, at.shortening_y);
  fill(beam.modes_z, at.z, at.shortening_z);
  return at;
}

struct Point {
  std::string link;
  Wide mass;
  Vector position;                 // in the link's frame
  std::optional<Station> on_beam;  // set if on its beam
};

class Reference {
 public:
  explicit Reference(const FlexibleModel& model)
      : model_(model), robot_(model.rigid().description()) {
    const auto names = model.coordinate_names();
    for (std::size_t i = 0; i < names.size(); ++i) index_[names[i]] = i;
    for (const LinkDescription& link : robot_.links) {
      if (link.name == "base") continue;
      links_[link.name] = &link;
      if (link.flexible) {
        add_beam(link);
      } else if (link.inertial) {
        add_rigid(link.name, link.inertial->mass, link.inertial->center, link.inertial->inertia);
      }
    }
    for (const JointDescription& joint : robot_.joints) {
      if (joint.parent != "base" && links_.at(joint.parent)->flexible) {
        const BeamDescription& beam = *links_.at(joint.parent)->flexible;
        const double x = std::clamp(joint.origin.translation.x(), 0.0, beam.length);
        stations_.emplace(joint.name, station(beam, x));
      }
    }
  }

  /// Positions of all points, three numbers each.
  std::vector<Wide> positions(const std::vector<Wide>& q) const {
    std::map<std::string, std::pair<Matrix, Vector>> frames;
    frames["base"] = {wide(Eigen::Matrix3d(Eigen::Matrix3d::Identity())), Vector{0, 0, 0}};
    for (const JointDescription& joint : robot_.joints) {  // parents come first in the file
      auto [R, p] = frames.at(joint.parent);
      Eigen::Vector3d offset = joint.origin.translation;
      if (const auto found = stations_.find(joint.name); found != stations_.end()) {
        const auto [position, rotation] = section_pose(joint.parent, found->second, q);
        p = p + R * position;
        R = R * rotation;
        offset.x() -= static_cast<double>(found->second.x);
      }
      p = p + R * wide(offset);
      R = R * wide(joint.origin.rotation);
      const Vector axis = wide(Eigen::Vector3d(joint.axis.normalized()));
      if (joint.type == JointType::continuous)
        R = R * rotation_about(axis, q[index_.at(joint.name)]);
      if (joint.type == JointType::prismatic) {
        const Wide& distance = q[index_.at(joint.name)];
        p = p + R * Vector{axis[0] * distance, axis[1] * distance, axis[2] * distance};
      }
      frames[joint.child] = {R, p};
    }
    std::vector<Wide> result;
    for (const Point& point : points_) {
      const auto& [R, p] = frames.at(point.link);
      const Vector position =
          point.on_beam ? section_pose(point.link, *point.on_beam, q).first : point.position;
      for (const Wide& x : p + R * position) result.push_back(x);
    }
    return result;
  }

  struct Terms {
    Eigen::MatrixXd M;
    Eigen::VectorXd bias;  ///< friction and rotor left out
    double potential = 0.0, strain = 0.0;
  };
  Terms terms(const Eigen::VectorXd& q, const Eigen::VectorXd& qd) const {
    const std::size_t n = index_.size();
    const Wide h = Wide(1e-15);
    const auto moved = [&](const Eigen::VectorXd& direction, const Wide& step) {
      std::vector<Wide> at(n);
      for (std::size_t i = 0; i < n; ++i) at[i] = Wide(q[idx(i)]) + step * Wide(direction[idx(i)]);
      return positions(at);
    };
    std::vector<std::vector<Wide>> J(n);
    for (std::size_t i = 0; i < n; ++i) {
      const Eigen::VectorXd unit = Eigen::VectorXd::Unit(idx(n), idx(i));
      J[i] = moved(unit, h);
      const auto other = moved(unit, -h);
      for (std::size_t k = 0; k < J[i].size(); ++k) J[i][k] = (J[i][k] - other[k]) / (2 * h);
    }
    const auto now = moved(qd, 0), after = moved(qd, h), before = moved(qd, -h);
    Terms result{Eigen::MatrixXd::Zero(idx(n), idx(n)), Eigen::VectorXd::Zero(idx(n))};
    const Vector g = wide(model_.rigid().gravity());
    for (std::size_t i = 0; i < n; ++i) {
      Wide bias = 0;
      for (std::size_t k = 0; k < now.size(); ++k) {
        const Wide& mass = points_[k / 3].mass;
        bias += mass * J[i][k] * ((after[k] - 2 * now[k] + before[k]) / (h * h) - g[k % 3]);
      }
      result.bias[idx(i)] = static_cast<double>(bias);
      for (std::size_t j = 0; j <= i; ++j) {
        Wide sum = 0;
        for (std::size_t k = 0; k < now.size(); ++k) sum += points_[k / 3].mass * J[i][k] * J[j][k];
        result.M(idx(i), idx(j)) = result.M(idx(j), idx(i)) = static_cast<double>(sum);
      }
    }
    for (std::size_t k = 0; k < now.size(); ++k) {
      result.potential -= static_cast<double>(points_[k / 3].mass * g[k % 3] * now[k]);
    }
    for (const auto& [name, link] : links_) {
      if (link->flexible) add_strain(name, *link->flexible, q, result);
    }
    for (const JointDescription& joint : robot_.joints) {
      if (joint.type == JointType::fixed) continue;
      const auto i = idx(index_.at(joint.name));
      result.M(i, i) += joint.rotor_inertia;
    }
    return result;
  }

 private:
  std::size_t amplitude(const std::string& link, char direction, std::size_t mode) const {
    return index_.at("e_" + link + "_" + direction + std::to_string(mode + 1));
  }

  /// Position and rotation of a station: x - 1/2 int u'^2, u_y, u_z; Rz(u_y') Ry(-u_z').
  std::pair<Vector, Matrix> section_pose(const std::string& link, const Station& at,
                                         const std::vector<Wide>& q) const {
    Vector position = {at.x, 0, 0};
    Wide slope_y = 0, slope_z = 0;
    const auto add = [&](char direction, const std::vector<Shape>& shapes,
                         const std::vector<std::vector<Wide>>& shortening, Wide& u, Wide& slope) {
      for (std::size_t j = 0; j < shapes.size(); ++j) {
        const Wide& e = q[amplitude(link, direction, j)];
        u += shapes[j].value * e;
        slope += shapes[j].slope * e;
        for (std::size_t k = 0; k < shortening.size(); ++k) {
          position[0] -= shortening[j][k] * e * q[amplitude(link, direction, k)] / 2;
        }
      }
    };
    add('y', at.y, at.shortening_y, position[1], slope_y);
    add('z', at.z, at.shortening_z, position[2], slope_z);
    return {position, rotation_about({0, 0, 1}, slope_y) * rotation_about({0, 1, 0}, -slope_z)};
  }

  /// Point masses with the same mass, center of mass and inertia; some masses are negative.
  void add_rigid(const std::string& link, double mass, const Eigen::Vector3d& center,
                 const Eigen::Matrix3d& inertia) {
    const Eigen::Matrix3d second = 0.5 * inertia.trace() * Eigen::Matrix3d::Identity() - inertia;
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> eigen(second);
    double rest = mass;
    for (int k = 0; k < 3; ++k) {
      for (const double sign : {-1.0, 1.0}) {
        const Eigen::Vector3d position = center + sign * eigen.eigenvectors().col(k);
        points_.push_back({link, 0.5 * eigen.eigenvalues()[k], wide(position), std::nullopt});
      }
      rest -= eigen.eigenvalues()[k];
    }
    points_.push_back({link, rest, wide(center), std::nullopt});
  }

  void add_beam(const LinkDescription& link) {
    const BeamDescription& beam = *link.flexible;
    for (std::size_t p = 0; p < rule().x.size(); ++p) {
      const Wide x = beam.length * rule().x[p];
      points_.push_back(
          {link.name, beam.mass_per_length * beam.length * rule().weight[p], {}, station(beam, x)});
    }
    points_.push_back({link.name, beam.tip_mass, {}, station(beam, beam.length)});
    // hub, and the inertia about the beam's axis from the inertial element
    Eigen::Matrix3d hub = beam.hub_inertia.asDiagonal();
    hub(0, 0) = std::max(hub(0, 0), link.inertial->inertia(0, 0));
    const Eigen::Vector3d squares = beam.hub_center.cwiseAbs2();  // from the root to the center
    hub.diagonal() -= beam.hub_mass * (Eigen::Vector3d::Constant(squares.sum()) - squares);
    add_rigid(link.name, beam.hub_mass, beam.hub_center, hub);
  }

  void add_strain(const std::string& name, const BeamDescription& beam, const Eigen::VectorXd& q,
                  Terms& result) const {
    const auto add = [&](char direction, int modes, double rigidity) {
      for (int j = 0; j < modes; ++j) {
        for (int k = 0; k < modes; ++k) {
          Wide sum = 0;
          for (std::size_t p = 0; p < rule().x.size(); ++p) {
            const Wide x = beam.length * rule().x[p];
            sum += beam.length * rule().weight[p] * shape(j, x, beam.length).curvature *
                   shape(k, x, beam.length).curvature;
          }
          const auto row = idx(amplitude(name, direction, static_cast<std::size_t>(j)));
          const auto column = idx(amplitude(name, direction, static_cast<std::size_t>(k)));
          result.bias[row] += rigidity * static_cast<double>(sum) * q[column];
          result.strain += 0.5 * rigidity * static_cast<double>(sum) * q[row] * q[column];
        }
      }
    };
    add('y', beam.modes_y, beam.rigidity_y);
    add('z', beam.modes_z, beam.rigidity_z);
  }

  const FlexibleModel& model_;
  const RobotDescription& robot_;
  std::map<std::string, std::size_t> index_;
  std::map<std::string, const LinkDescription*> links_;
  std::map<std::string, Station> stations_;  // by joint: its station on a beam
  std::vector<Point> points_;
};

/// Without damping, and with hubs whose centers of mass are beside the roots.
RobotDescription without_damping(RobotDescription robot) {
  robot.links[1].flexible.value().hub_center = {0.03, -0.02, 0.05};
  LinkDescription& slider = robot.links[3];
  BeamDescription beam = slider.flexible.value();
  beam.hub_mass = 0.9;
  beam.hub_center = {-0.1, 0.15, 0.2};
  beam.hub_inertia = {0.07, 0.06, 0.05};
  test::make_flexible(slider, beam);
  for (LinkDescription& link : robot.links) {
    if (link.flexible) link.flexible->damping = 0.0;
  }
  return robot;
}

class Lagrange : public testing::TestWithParam<bool> {};

TEST_P(Lagrange, InertiaMatrixBiasAndEnergiesMatchPointMasses) {
  const bool stiffening = GetParam();
  const std::string kind = stiffening ? " with stiffening" : "";
  const FlexibleModel model(Model(without_damping(test::mixed_tree(stiffening))));
  ASSERT_EQ(model.joint_count(), 6U);
  ASSERT_EQ(model.amplitude_count(), 11U);
  FlexibleWorkspace workspace(model);
  const Reference reference(model);
  test::RandomRobot random(11);
  const auto n = idx(model.size());
  for (int sample = 0; sample < 2; ++sample) {
    const Eigen::VectorXd q = test::random_state(model, random, 0.06);
    const Eigen::VectorXd qd = random.vector(model.size(), 1.5);
    const auto expected = reference.terms(q, qd);
    Eigen::MatrixXd M(n, n);
    inertia_matrix(model, workspace, q, M);
    EXPECT_CLOSE("inertia matrix" + kind, test::relative(M, expected.M), 1e-11);
    Eigen::VectorXd bias(n);
    bias_forces(model, workspace, q, qd, bias, false);
    EXPECT_CLOSE("bias" + kind, test::relative(bias, expected.bias), 1e-11);
    const FlexibleEnergy now = energy(model, workspace, q, qd);
    EXPECT_CLOSE("kinetic energy" + kind,
                 test::relative(now.kinetic, 0.5 * qd.dot(expected.M * qd), 0.0), 1e-11);
    EXPECT_CLOSE("potential energy" + kind, test::relative(now.potential, expected.potential, 1.0),
                 1e-11);
    EXPECT_CLOSE("strain energy" + kind, test::relative(now.strain, expected.strain, 0.0), 1e-11);

    // forward dynamics solves these equations
    const Eigen::VectorXd tau = random.vector(model.size(), 20.0);
    Eigen::VectorXd qdd(n), by_cholesky(n);
    forward_dynamics(model, workspace, q, qd, tau, qdd, false);
    const Eigen::VectorXd solution = expected.M.llt().solve(tau - expected.bias);
    EXPECT_CLOSE("forward dynamics" + kind, test::relative(qdd, solution), 1e-9);
    forward_dynamics_cholesky(model, workspace, q, qd, tau, by_cholesky, false);
    EXPECT_CLOSE("by Cholesky" + kind, test::relative(by_cholesky, solution), 1e-9);
  }
}

INSTANTIATE_TEST_SUITE_P(Beams, Lagrange, testing::Bool(),
                         [](const auto& given) { return given.param ? "Stiffened" : "Plain"; });

}  // namespace
}  // namespace dynamics
