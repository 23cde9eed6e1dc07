// SPDX-License-Identifier: Apache-2.0
#include "dynamics_core/model/from_urdf.hpp"

#include <console_bridge/console.h>
#include <fmt/format.h>
#include <urdf_parser/urdf_parser.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <fstream>
#include <mutex>
#include <sstream>

#include "urdf_document.hpp"

namespace dynamics {
namespace {

/// Keeps urdfdom's messages for our own error instead of letting it print them.
class CaptureMessages : public console_bridge::OutputHandler {
 public:
  CaptureMessages() : lock_(mutex()) { console_bridge::useOutputHandler(this); }
  ~CaptureMessages() override { console_bridge::restorePreviousOutputHandler(); }
  CaptureMessages(const CaptureMessages&) = delete;
  CaptureMessages& operator=(const CaptureMessages&) = delete;

  void log(const std::string& text, console_bridge::LogLevel level, const char*, int) override {
    if (level < console_bridge::CONSOLE_BRIDGE_LOG_ERROR) return;
    messages_ += (messages_.empty() ? "" : "; ") + text;
  }
  const std::string& messages() const { return messages_; }

 private:
  // the handler is one for the whole process
  static std::mutex& mutex() {
    static std::mutex instance;
    return instance;
  }
  std::lock_guard<std::mutex> lock_;
  std::string messages_;
};

Eigen::Vector3d vector(const urdf::Vector3& v) { return {v.x, v.y, v.z}; }

Pose pose(const urdf::Pose& p) {
  const Eigen::Quaterniond q(p.rotation.w, p.rotation.x, p.rotation.y, p.rotation.z);
  return {q.normalized().toRotationMatrix(), vector(p.position)};
}

Eigen::Vector3d rpy(const urdf::Rotation& rotation) {
  Eigen::Vector3d angles;
  rotation.getRPY(angles.x(), angles.y(), angles.z());
  return angles;
}

Inertial inertial(const urdf::Inertial& given) {
  Eigen::Matrix3d inertia;
  inertia << given.ixx, given.ixy, given.ixz, given.ixy, given.iyy, given.iyz, given.ixz, given.iyz,
      given.izz;
  const Pose origin = pose(given.origin);
  return {given.mass, origin.translation, origin.rotation * inertia * origin.rotation.transpose()};
}

void add_visual(LinkDescription& link, const urdf::Visual& given) {
  if (!given.geometry) return;
  if (const auto* mesh = dynamic_cast<const urdf::Mesh*>(given.geometry.get())) {
    link.meshes.push_back({mesh->filename, vector(mesh->scale), vector(given.origin.position),
                           rpy(given.origin.rotation)});
    return;
  }
  Visual visual;
  visual.xyz = vector(given.origin.position);
  visual.rpy = rpy(given.origin.rotation);
  visual.colour = given.material_name;
  if (given.material) {
    const auto& c = given.material->color;
    visual.rgba = {static_cast<double>(c.r), static_cast<double>(c.g), static_cast<double>(c.b),
                   static_cast<double>(c.a)};
  }
  if (const auto* box = dynamic_cast<const urdf::Box*>(given.geometry.get())) {
    visual.geometry = Visual::Box{vector(box->dim)};
  } else if (const auto* cylinder = dynamic_cast<const urdf::Cylinder*>(given.geometry.get())) {
    visual.geometry = Visual::Cylinder{cylinder->radius, cylinder->length};
  } else if (const auto* sphere = dynamic_cast<const urdf::Sphere*>(given.geometry.get())) {
    visual.geometry = Visual::Sphere{sphere->radius};
  } else {
    return;
  }
  link.visuals.push_back(std::move(visual));
}

JointType joint_type(const urdf::Joint& joint) {
  switch (joint.type) {
    case urdf::Joint::REVOLUTE: return JointType::revolute;
    case urdf::Joint::CONTINUOUS: return JointType::continuous;
    case urdf::Joint::PRISMATIC: return JointType::prismatic;
    case urdf::Joint::PLANAR: return JointType::planar;
    case urdf::Joint::FLOATING: return JointType::floating;
    case urdf::Joint::FIXED: return JointType::fixed;
    default: break;
  }
  throw ModelError("joint '" + joint.name + "'", "its type is not supported");
}

JointDescription describe_joint(const urdf::Joint& given) {
  JointDescription joint;
  joint.name = given.name;
  joint.type = joint_type(given);
  joint.parent = given.parent_link_name;
  joint.child = given.child_link_name;
  joint.origin = pose(given.parent_to_joint_origin_transform);
  joint.axis = vector(given.axis);
  if (given.limits) {
    joint.limits = JointLimits{given.limits->lower, given.limits->upper, given.limits->velocity,
                               given.limits->effort};
  }
  if (given.dynamics) {
    joint.damping = given.dynamics->damping;
    joint.friction = given.dynamics->friction;
  }
  if (given.mimic) {
    joint.mimic = Mimic{given.mimic->joint_name, given.mimic->multiplier, given.mimic->offset};
  }
  return joint;
}

}  // namespace

RobotDescription read_urdf(std::string_view text, std::string_view source) {
  const UrdfDocument document = inspect_urdf(text, source);
  urdf::ModelInterfaceSharedPtr robot;
  std::string messages;
  {
    CaptureMessages capture;
    // TinyXML takes a text that does not say it is XML for Latin-1
    const std::string_view start = text.substr(std::min(text.find('<'), text.size()));
    const bool says_xml = start.starts_with("<?xml") || text.starts_with("\xEF\xBB\xBF");
    robot = urdf::parseURDF((says_xml ? "" : "<?xml version=\"1.0\"?>") + std::string(text));
    messages = capture.messages();
  }

  RobotDescription description;
  description.source = std::string(source);
  if (!robot) {
    throw ModelError(description.source, "is not a URDF that can be read: " +
                                             (messages.empty() ? "no reason given" : messages));
  }
  description.name = robot->getName();
  // numbered characters in a file that is not UTF-8
  const auto found = [&](const auto& given, const char* what, const std::string& name) {
    if (given) return given;
    throw ModelError(description.source,
                     fmt::format("the name of {} '{}' can be read in two ways: save the file as "
                                 "UTF-8 and say encoding=\"UTF-8\" in its first line",
                                 what, name));
  };
  for (const std::string& name : document.links) {
    const auto given = found(robot->getLink(name), "link", name);
    LinkDescription link;
    link.name = name;
    if (given->inertial) link.inertial = inertial(*given->inertial);
    for (const auto& visual : given->visual_array) add_visual(link, *visual);
    if (const auto beam = document.flexible.find(name); beam != document.flexible.end()) {
      link.flexible = beam->second;
    }
    description.links.push_back(std::move(link));
  }
  for (const std::string& name : document.joints) {
    JointDescription joint = describe_joint(*found(robot->getJoint(name), "joint", name));
    if (const auto rotor = document.rotor_inertia.find(name);
        rotor != document.rotor_inertia.end()) {
      joint.rotor_inertia = rotor->second;
    }
    description.joints.push_back(std::move(joint));
  }
  return description;
}

Model model_from_urdf(std::string_view text, const ModelOptions& options, std::string_view source) {
  return Model(read_urdf(text, source), options);
}

Model model_from_urdf_file(const std::string& path, const ModelOptions& options) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw ModelError(path, "cannot be read: no such file, or no permission");
  std::ostringstream text;
  text << file.rdbuf();
  if (file.bad()) throw ModelError(path, "could not be read to its end");
  return model_from_urdf(text.str(), options, path);
}

}  // namespace dynamics
