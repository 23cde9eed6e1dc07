// SPDX-License-Identifier: Apache-2.0
#pragma once

// Random URDF texts from a seed: every joint type, offsets and rotations, chains of fixed joints,
// elements in any order, optional attributes omitted.

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "support/random_robot.hpp"

namespace dynamics::test {

struct RandomUrdfOptions {
  std::size_t joints = 6;         ///< moving joints; a planar or floating joint counts once
  double branching = 0.3;         ///< probability that a joint does not start at the last link
  double fixed = 0.35;            ///< probability of one to three fixed joints before a joint
  bool floating_anywhere = true;  ///< false: floating joints only at the root "world"
  bool products = true;           ///< products of inertia; false: tensors rotated only by rpy
  bool tilted_planes = true;      ///< planar joints with any normal; false: z
  bool drives = false;            ///< damping, Coulomb friction, rotor inertia and mimic joints
};

class RandomUrdf {
 public:
  RandomUrdf(unsigned seed, const RandomUrdfOptions& options) : random_(seed), options_(options) {
    add_link("world", random_.chance(0.5));
    std::vector<std::string> movable = {"world"};
    for (std::size_t i = 0; i < options.joints; ++i) {
      std::string parent = random_.chance(options.branching)
                               ? movable[random_.index(movable.size())]
                               : movable.back();
      // the first joint is at the root, where every type is supported
      if (i > 0 && random_.chance(options.fixed)) parent = fixed_chain(parent);
      const std::string child = "link" + std::to_string(i);
      add_moving_joint(fmt::format("joint{}", i), parent, child);
      movable.push_back(child);
    }
    fixed_chain(movable.back());
  }

  std::string text() const {
    std::string result = "<?xml version=\"1.0\"?>\n<robot name=\"random\">\n";
    for (const std::string& element : elements_) result += element;
    return result + "</robot>\n";
  }

 private:
  static std::string three(const Eigen::Vector3d& v) {
    return fmt::format("{:.17g} {:.17g} {:.17g}", v.x(), v.y(), v.z());
  }

  /// <origin>, its xyz, or its rpy may be missing.
  std::string origin(double distance) {
    if (random_.chance(0.08)) return "";
    std::string result = "<origin";
    if (!random_.chance(0.1))
      result += fmt::format(" xyz=\"{}\"", three(random_.vector3(distance)));
    if (!random_.chance(0.15)) result += fmt::format(" rpy=\"{}\"", three(random_.vector3(3.1)));
    return result + "/>";
  }

  void add(std::string element) {
    elements_.insert(
        elements_.begin() + static_cast<std::ptrdiff_t>(random_.index(elements_.size() + 1)),
        std::move(element));
  }

  void add_link(const std::string& name, bool inertial) {
    if (!inertial) return add(fmt::format("<link name=\"{}\"/>\n", name));
    const Inertial body = random_.inertial();
    Eigen::Matrix3d i = body.inertia;
    // the diagonal of a physical tensor is a physical tensor
    if (!options_.products) i = Eigen::Matrix3d(i.diagonal().asDiagonal());
    add(fmt::format(
        "<link name=\"{}\"><inertial>{}<mass value=\"{:.17g}\"/>"
        "<inertia ixx=\"{:.17g}\" ixy=\"{:.17g}\" ixz=\"{:.17g}\" iyy=\"{:.17g}\" "
        "iyz=\"{:.17g}\" izz=\"{:.17g}\"/></inertial></link>\n",
        name, origin(0.2), body.mass, i(0, 0), i(0, 1), i(0, 2), i(1, 1), i(1, 2), i(2, 2)));
  }

  std::string fixed_chain(std::string parent) {
    for (std::size_t k = 1 + random_.index(3); k > 0; --k) {
      const std::string child = fmt::format("mount{}", fixed_count_);
      add(
          fmt::format("<joint name=\"fix{}\" type=\"fixed\">{}<parent link=\"{}\"/>"
                      "<child link=\"{}\"/></joint>\n",
                      fixed_count_++, origin(0.3), parent, child));
      add_link(child, random_.chance(0.6));
      parent = child;
    }
    return parent;
  }

  std::string type(const std::string& parent) {
    const bool root = parent == "world";
    if (random_.chance(root ? 0.3 : 0.08) && (root || options_.floating_anywhere)) {
      return "floating";
    }
    if (random_.chance(root ? 0.3 : 0.1)) return "planar";
    if (random_.chance(0.3)) return "prismatic";
    return random_.chance(0.5) ? "revolute" : "continuous";
  }

  void add_moving_joint(const std::string& name, const std::string& parent,
                        const std::string& child) {
    const std::string kind = type(parent);
    const bool single = kind != "planar" && kind != "floating";
    std::string inside = origin(0.4);
    inside += fmt::format("<parent link=\"{}\"/><child link=\"{}\"/>", parent, child);
    if (kind == "planar") {
      inside += fmt::format("<axis xyz=\"{}\"/>", options_.tilted_planes
                                                      ? three(random_.rotation().col(0))
                                                      : std::string("0 0 1"));
    }
    if (single && !random_.chance(0.1)) {
      const double length = random_.chance(0.1) ? random_.uniform(0.5, 2.0) : 1.0;
      inside += fmt::format("<axis xyz=\"{}\"/>", three(length * random_.rotation().col(0)));
    }
    if (kind == "revolute" || kind == "prismatic") {
      inside += "<limit lower=\"-4\" upper=\"4\" effort=\"1000\" velocity=\"100\"/>";
    }
    if (options_.drives) inside += drive(name, single);
    add(fmt::format("<joint name=\"{}\" type=\"{}\">{}</joint>\n", name, kind, inside));
    add_link(child, true);
    if (single) single_.push_back(name);
  }

  /// Friction, rotor inertia (in the joint, in <ros2_control> or in <transmission>) and mimic.
  std::string drive(const std::string& name, bool single) {
    std::string result;
    std::string dynamics;
    if (random_.chance(0.6)) dynamics += number("damping", 1.0);
    if (single && random_.chance(0.5)) dynamics += number("friction", 1.0);
    if (single && random_.chance(0.5)) {
      const double location = random_.uniform(0.0, 3.0);
      if (location < 1.0) {
        // urdfdom rejects <dynamics> without damping and friction
        if (dynamics.empty()) dynamics += number("damping", 1.0);
        dynamics += number("rotor_inertia", 0.5);
      } else if (location < 2.0) {
        add(
            fmt::format("<ros2_control name=\"control_{0}\" type=\"system\"><joint name=\"{0}\">"
                        "<param name=\"rotor_inertia\">{1:.17g}</param></joint></ros2_control>\n",
                        name, random_.uniform(0.0, 0.5)));
      } else {
        add(fmt::format(
            "<transmission name=\"transmission_{0}\"><joint name=\"{0}\"/><actuator name=\"a_{0}\">"
            "<mechanicalReduction>{1:.17g}</mechanicalReduction>"
            "<rotorInertia>{2:.17g}</rotorInertia></actuator></transmission>\n",
            name, random_.uniform(10.0, 100.0), random_.uniform(0.0, 1e-4)));
      }
    }
    if (!dynamics.empty()) result += "<dynamics" + dynamics + "/>";
    if (single && !single_.empty() && random_.chance(0.3)) {
      result += fmt::format("<mimic joint=\"{}\"", single_[random_.index(single_.size())]);
      if (!random_.chance(0.2)) {
        // not near zero, where the mimic joint hardly moves
        const double sign = random_.chance(0.5) ? 1.0 : -1.0;
        result += fmt::format(" multiplier=\"{:.17g}\"", sign * random_.uniform(0.3, 2.0));
      }
      if (!random_.chance(0.3)) {
        result += fmt::format(" offset=\"{:.17g}\"", random_.uniform(-1.0, 1.0));
      }
      result += "/>";
    }
    return result;
  }
  std::string number(const char* attribute, double limit) {
    return fmt::format(" {}=\"{:.17g}\"", attribute, random_.uniform(0.0, limit));
  }

  RandomRobot random_;
  RandomUrdfOptions options_;
  std::vector<std::string> elements_;
  std::vector<std::string> single_;  ///< joints that others may mimic
  std::size_t fixed_count_ = 0;
};

}  // namespace dynamics::test
