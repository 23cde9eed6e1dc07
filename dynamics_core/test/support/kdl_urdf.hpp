// SPDX-License-Identifier: Apache-2.0
#pragma once

// A URDF reader independent of the library under test. KDL computes the rigid-body dynamics;
// textbook formulas add rotors, friction and mimic joints:
//
//   q_all = G q + b,  M = G^T (M_kdl + diag(rotor)) G,
//   tau = G^T (tau_kdl(q_all, G qd, G qdd) + rotor G qdd + damping G qd + Coulomb friction)
//
// A planar joint is translations in its plane and a rotation about its normal; a floating joint is
// translations along x, y, z and rotations about z, y, x.

#include <tinyxml2.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <kdl/chainjnttojacsolver.hpp>
#include <kdl/tree.hpp>
#include <kdl/treefksolverpos_recursive.hpp>
#include <kdl/treeidsolver_recursive_newton_euler.hpp>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace dynamics::test {

class KdlUrdf {
 public:
  /// One single-axis joint; its index is the same in KDL's arrays.
  struct Degree {
    std::string name;  ///< the joint's name, or JOINT/x ... for a planar or floating joint
    double damping = 0.0, friction = 0.0, rotor = 0.0;
    std::string leader;  ///< for a mimic joint, otherwise empty
    double multiplier = 1.0, offset = 0.0;
  };

  explicit KdlUrdf(const std::string& text) {
    if (document_.Parse(text.c_str()) != tinyxml2::XML_SUCCESS) {
      throw std::runtime_error(document_.ErrorStr());
    }
    robot_ = document_.RootElement();
    read_rotors();
    std::map<std::string, bool> is_child;
    for (const auto* j = first(robot_, "joint"); j != nullptr; j = j->NextSiblingElement("joint")) {
      is_child[link_of(j, "child")] = true;
    }
    for (const auto* l = first(robot_, "link"); l != nullptr; l = l->NextSiblingElement("link")) {
      links_[l->Attribute("name")] = l;
      if (!is_child[l->Attribute("name")]) root_ = l->Attribute("name");
    }
    tree_ = KDL::Tree(root_);
    add_children(root_);
  }

  const std::string& root() const { return root_; }
  const std::vector<Degree>& degrees() const { return degrees_; }
  std::vector<std::string> frames() const {
    std::vector<std::string> names;
    for (const auto& [name, link] : links_) names.push_back(name);
    return names;
  }

  /// G and b for coordinates in this order.
  std::pair<Eigen::MatrixXd, Eigen::VectorXd> couplings(
      const std::vector<std::string>& coordinates) const {
    const auto size = static_cast<Eigen::Index>(degrees_.size());
    Eigen::MatrixXd G = Eigen::MatrixXd::Zero(size, static_cast<Eigen::Index>(coordinates.size()));
    Eigen::VectorXd b(size);
    for (Eigen::Index i = 0; i < size; ++i) {
      const Degree* at = &degrees_[static_cast<std::size_t>(i)];
      double multiplier = 1.0, offset = 0.0;
      while (!at->leader.empty()) {
        offset += multiplier * at->offset;
        multiplier *= at->multiplier;
        at = &degree(at->leader);
      }
      const auto found = std::find(coordinates.begin(), coordinates.end(), at->name);
      if (found == coordinates.end()) throw std::runtime_error("no coordinate " + at->name);
      G(i, found - coordinates.begin()) = multiplier;
      b[i] = offset;
    }
    return {G, b};
  }

  /// Torques of all single-axis joints, without friction and rotors.
  Eigen::VectorXd inverse(const Eigen::VectorXd& q, const Eigen::VectorXd& qd,
                          const Eigen::VectorXd& qdd, const Eigen::Vector3d& gravity) const {
    KDL::TreeIdSolver_RNE solver(tree_, KDL::Vector(gravity.x(), gravity.y(), gravity.z()));
    KDL::JntArray torques(tree_.getNrOfJoints());
    if (solver.CartToJnt(array(q), array(qd), array(qdd), {}, torques) != 0) {
      throw std::runtime_error("KDL: CartToJnt");
    }
    return torques.data;
  }

  Eigen::MatrixXd inertia_matrix(const Eigen::VectorXd& q) const {
    Eigen::MatrixXd M(q.size(), q.size());
    const Eigen::VectorXd zero = Eigen::VectorXd::Zero(q.size());
    for (Eigen::Index j = 0; j < q.size(); ++j) {
      M.col(j) = inverse(q, zero, Eigen::VectorXd::Unit(q.size(), j), Eigen::Vector3d::Zero());
      M(j, j) += degrees_[static_cast<std::size_t>(j)].rotor;
    }
    return M;
  }

  Eigen::VectorXd friction(const Eigen::VectorXd& qd, double friction_velocity) const {
    Eigen::VectorXd result(qd.size());
    for (Eigen::Index i = 0; i < qd.size(); ++i) {
      const Degree& degree = degrees_[static_cast<std::size_t>(i)];
      result[i] =
          degree.damping * qd[i] + degree.friction * qd[i] / std::hypot(qd[i], friction_velocity);
    }
    return result;
  }

  /// Angular rows first, in root axes, at the link origin.
  Eigen::MatrixXd jacobian(const Eigen::VectorXd& q, const std::string& link) const {
    Eigen::MatrixXd result = Eigen::MatrixXd::Zero(6, q.size());
    KDL::Chain chain;
    if (!tree_.getChain(root_, link, chain)) throw std::runtime_error("KDL: no chain to " + link);
    if (chain.getNrOfJoints() == 0) return result;
    std::vector<Eigen::Index> columns;
    for (const KDL::Segment& segment : chain.segments) {
      if (segment.getJoint().getType() == KDL::Joint::Fixed) continue;
      columns.push_back(
          static_cast<Eigen::Index>(tree_.getSegment(segment.getName())->second.q_nr));
    }
    KDL::JntArray at(chain.getNrOfJoints());
    for (std::size_t i = 0; i < columns.size(); ++i) {
      at(static_cast<unsigned>(i)) = q[columns[i]];
    }
    KDL::Jacobian jacobian(chain.getNrOfJoints());
    KDL::ChainJntToJacSolver solver(chain);
    if (solver.JntToJac(at, jacobian) != 0) throw std::runtime_error("KDL: JntToJac");
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const auto column = jacobian.data.col(static_cast<Eigen::Index>(i));
      result.col(columns[i]) << column.tail<3>(), column.head<3>();
    }
    return result;
  }

  KDL::Frame pose(const Eigen::VectorXd& q, const std::string& link) const {
    KDL::Frame result;
    KDL::TreeFkSolverPos_recursive solver(tree_);
    if (solver.JntToCart(array(q), result, link) != 0) throw std::runtime_error("KDL: JntToCart");
    return result;
  }

 private:
  using Element = tinyxml2::XMLElement;

  static const Element* first(const Element* parent, const char* name) {
    return parent == nullptr ? nullptr : parent->FirstChildElement(name);
  }
  static std::string link_of(const Element* joint, const char* end) {
    return first(joint, end)->Attribute("link");
  }
  static double number(const Element* element, const char* attribute, double otherwise) {
    return element == nullptr ? otherwise : element->DoubleAttribute(attribute, otherwise);
  }
  static KDL::Vector three(const Element* element, const char* attribute,
                           const KDL::Vector& otherwise) {
    if (element == nullptr || element->Attribute(attribute) == nullptr) return otherwise;
    std::istringstream in(element->Attribute(attribute));
    KDL::Vector v;
    in >> v[0] >> v[1] >> v[2];
    if (!in) throw std::runtime_error(std::string("three numbers: ") + attribute);
    return v;
  }
  static KDL::Frame origin(const Element* parent) {
    const Element* element = first(parent, "origin");
    const KDL::Vector rpy = three(element, "rpy", KDL::Vector::Zero());
    return {KDL::Rotation::RPY(rpy[0], rpy[1], rpy[2]), three(element, "xyz", KDL::Vector::Zero())};
  }
  static KDL::JntArray array(const Eigen::VectorXd& v) {
    KDL::JntArray result(static_cast<unsigned>(v.size()));
    result.data = v;
    return result;
  }

  const Degree& degree(const std::string& name) const {
    for (const Degree& one : degrees_) {
      if (one.name == name) return one;
    }
    throw std::runtime_error("no joint " + name);
  }

  /// Rotor inertias given outside of <joint>.
  void read_rotors() {
    for (const auto* t = first(robot_, "transmission"); t != nullptr;
         t = t->NextSiblingElement("transmission")) {
      const Element* actuator = first(t, "actuator");
      const Element* inertia = first(actuator, "rotorInertia");
      if (inertia == nullptr) continue;
      const Element* reduction = first(actuator, "mechanicalReduction");
      const double ratio = reduction == nullptr ? 1.0 : reduction->DoubleText(1.0);
      rotors_[first(t, "joint")->Attribute("name")] = inertia->DoubleText() * ratio * ratio;
    }
    for (const auto* c = first(robot_, "ros2_control"); c != nullptr;
         c = c->NextSiblingElement("ros2_control")) {
      for (const auto* j = first(c, "joint"); j != nullptr; j = j->NextSiblingElement("joint")) {
        for (const auto* p = first(j, "param"); p != nullptr; p = p->NextSiblingElement("param")) {
          if (p->Attribute("name", "rotor_inertia") == nullptr) continue;
          rotors_[j->Attribute("name")] = p->DoubleText();
        }
      }
    }
  }

  KDL::RigidBodyInertia inertia(const std::string& link) const {
    const Element* inertial = first(links_.at(link), "inertial");
    if (inertial == nullptr) return KDL::RigidBodyInertia::Zero();
    const Element* i = first(inertial, "inertia");
    const KDL::Frame at = origin(inertial);
    const KDL::RigidBodyInertia own(
        number(first(inertial, "mass"), "value", 0.0), KDL::Vector::Zero(),
        KDL::RotationalInertia(number(i, "ixx", 0.0), number(i, "iyy", 0.0), number(i, "izz", 0.0),
                               number(i, "ixy", 0.0), number(i, "ixz", 0.0),
                               number(i, "iyz", 0.0)));
    return at * own;
  }

  void add_children(const std::string& parent) {
    for (const auto* j = first(robot_, "joint"); j != nullptr; j = j->NextSiblingElement("joint")) {
      if (link_of(j, "parent") != parent) continue;
      add_joint(j, parent);
      add_children(link_of(j, "child"));
    }
  }

  void add_segment(const std::string& parent, const std::string& name, const KDL::Joint& joint,
                   const KDL::Frame& tip, const KDL::RigidBodyInertia& inertia) {
    if (!tree_.addSegment(KDL::Segment(name, joint, tip, inertia), parent)) {
      throw std::runtime_error("KDL: addSegment");
    }
  }

  void add_joint(const Element* joint, const std::string& parent) {
    const std::string name = joint->Attribute("name"), type = joint->Attribute("type"),
                      child = link_of(joint, "child");
    const KDL::Frame at = origin(joint);
    const KDL::RigidBodyInertia body = inertia(child);
    if (type == "fixed") {
      return add_segment(parent, child, KDL::Joint(name, KDL::Joint::Fixed), at, body);
    }
    const KDL::Vector axis = three(first(joint, "axis"), "xyz", KDL::Vector(1, 0, 0));
    const KDL::Vector x(1, 0, 0), y(0, 1, 0), z(0, 0, 1);
    std::vector<std::pair<std::string, KDL::Vector>> slides, turns;
    if (type == "planar") {
      // the plane's axes are x and y, turned by the smallest rotation from z to the normal; for a
      // normal that points down they are first turned by 180 degrees about x
      const KDL::Vector normal = axis / axis.Norm();
      const KDL::Rotation half_turn =
          normal.z() < 0.0 ? KDL::Rotation(1, 0, 0, 0, -1, 0, 0, 0, -1) : KDL::Rotation::Identity();
      const KDL::Vector start = half_turn * z, about = start * normal;
      const double angle = std::atan2(about.Norm(), KDL::dot(start, normal));
      const KDL::Rotation tilt =
          (about.Norm() > 0.0 ? KDL::Rotation::Rot(about, angle) : KDL::Rotation::Identity()) *
          half_turn;
      slides = {{name + "/x", tilt * x}, {name + "/y", tilt * y}};
      turns = {{name + "/yaw", normal}};
    } else if (type == "floating") {
      slides = {{name + "/x", x}, {name + "/y", y}, {name + "/z", z}};
      turns = {{name + "/yaw", z}, {name + "/pitch", y}, {name + "/roll", x}};
    } else {
      (type == "prismatic" ? slides : turns) = {{name, axis}};
    }
    const bool single = slides.size() + turns.size() == 1;
    const Element* dynamics = first(joint, "dynamics");
    const Element* mimic = first(joint, "mimic");
    std::string last = parent;
    KDL::Frame here = at;
    const std::size_t count = slides.size() + turns.size();
    for (std::size_t k = 0; k < count; ++k) {
      const bool slide = k < slides.size();
      const auto& [degree_name, direction] = slide ? slides[k] : turns[k - slides.size()];
      const std::string segment = k + 1 == count ? child : degree_name;
      add_segment(last, segment,
                  KDL::Joint(degree_name, here.p, here.M * direction,
                             slide ? KDL::Joint::TransAxis : KDL::Joint::RotAxis),
                  here, k + 1 == count ? body : KDL::RigidBodyInertia::Zero());
      Degree degree;
      degree.name = degree_name;
      degree.damping = number(dynamics, "damping", 0.0);
      if (single) {
        degree.friction = number(dynamics, "friction", 0.0);
        const auto found = rotors_.find(name);
        degree.rotor =
            found != rotors_.end() ? found->second : number(dynamics, "rotor_inertia", 0.0);
      }
      if (mimic != nullptr) {
        degree.leader = mimic->Attribute("joint");
        degree.multiplier = number(mimic, "multiplier", 1.0);
        degree.offset = number(mimic, "offset", 0.0);
      }
      degrees_.push_back(degree);
      last = segment;
      here = KDL::Frame::Identity();
    }
  }

  tinyxml2::XMLDocument document_;
  const Element* robot_ = nullptr;
  std::map<std::string, const Element*> links_;
  std::map<std::string, double> rotors_;
  std::string root_;
  KDL::Tree tree_{"root"};
  std::vector<Degree> degrees_;
};

}  // namespace dynamics::test
