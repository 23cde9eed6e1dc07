// SPDX-License-Identifier: Apache-2.0
#pragma once

// A robot's description as far as it could be read, for the checks: what is missing stays missing.

#include <Eigen/Core>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "dynamics_core/model/check.hpp"
#include "dynamics_core/model/model.hpp"
#include "xml_tree.hpp"

namespace dynamics::check {

using Severity = Finding::Severity;
using Kind = Finding::Kind;

/// An axis-aligned box that grows.
struct Extent {
  Eigen::Vector3d low = Eigen::Vector3d::Constant(1e300), high = -low;
  bool empty() const { return low.x() > high.x(); }
  double diagonal() const { return empty() ? 0.0 : (high - low).norm(); }
  void add(const Eigen::Vector3d& point) {
    low = low.cwiseMin(point);
    high = high.cwiseMax(point);
  }
  /// How far a point is outside.
  double distance(const Eigen::Vector3d& point) const {
    return (low - point).cwiseMax(point - high).cwiseMax(0.0).norm();
  }
};

struct LinkSurvey {
  std::string name;
  std::size_t line = 0;
  bool has_inertial = false;
  std::optional<double> mass;
  std::optional<Eigen::Vector3d> centre;
  std::optional<Eigen::Matrix3d> tensor;   ///< as given, in the axes of the inertial's origin
  std::optional<Eigen::Matrix3d> inertia;  ///< in the link's axes
  std::size_t inertial_line = 0;
  Extent geometry;      ///< of boxes, cylinders and spheres, visual and collision
  double volume = 0.0;  ///< of the collision's ones, else of the visual's (m^3)
  bool meshes = false;
  std::optional<DhFlexible> flexible;
  int element = -1, inertia_element = -1;  ///< in the document
};

struct JointSurvey {
  std::string name;
  std::size_t line = 0;
  std::optional<JointType> type;
  std::string parent, child;
  std::optional<Eigen::Vector3d> position = Eigen::Vector3d::Zero();
  std::optional<Eigen::Vector3d> axis;
  bool has_axis = false;
  bool has_limit = false;
  std::optional<double> lower, upper, velocity, effort;
  double damping = 0.0, friction = 0.0, rotor_inertia = 0.0;
  std::optional<Mimic> mimic;
  int element = -1, axis_element = -1, limit_element = -1, mimic_element = -1;

  bool moves() const { return type && *type != JointType::fixed; }
  bool composed() const {
    return type && (*type == JointType::planar || *type == JointType::floating);
  }
};

/// A piece of the text and what shall stand there instead.
struct Edit {
  std::size_t begin, end;
  std::string text;
};

struct Survey {
  std::string robot, source;
  std::vector<LinkSurvey> links;
  std::vector<JointSurvey> joints;
  const xml::Document* document = nullptr;  ///< where it is a URDF's text

  std::unordered_map<std::string, std::size_t> link_index, joint_index;  ///< the first of a name
  std::vector<std::vector<std::size_t>> children;                        ///< joints by parent link
  std::vector<int> parent_joint;                                         ///< by link, -1: none

  std::vector<Finding> findings;
  std::vector<Edit> edits;

  Finding& report(Severity severity, Kind kind, const std::string& name, const char* code,
                  std::string message, std::string repair, std::size_t line = 0);
  /// A link's or joint's: kind, name and line are its own.
  Finding& report(Severity severity, const LinkSurvey& link, const char* code, std::string message,
                  std::string repair);
  Finding& report(Severity severity, const JointSurvey& joint, const char* code,
                  std::string message, std::string repair);
  void fix(Finding& finding, Edit edit);
};

/// Reads what can be read, reporting what cannot.
void survey_urdf(const xml::Document& document, Survey& survey);
void survey_description(const RobotDescription& description, Survey& survey);

/// Names, parents and children: fills link_index, joint_index, children, parent_joint.
void check_tree(Survey& survey);
void check_links(Survey& survey);
void check_joints(Survey& survey);

/// What only the whole model shows: forward dynamics, conditioning.
void check_dynamics(const Model& model, const CheckOptions& options, Survey& survey,
                    CheckReport& report);
/// Whether a DH table can say the same, and why not.
void check_dh_expressible(const RobotDescription& description, Survey& survey);

}  // namespace dynamics::check
