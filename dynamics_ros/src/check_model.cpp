// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdint>
#include <dynamics_core/check.hpp>
#include <dynamics_core/readers.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dynamics_ros/dynamics_server.hpp"
#include "fault.hpp"

namespace dynamics_ros {
namespace {

using dynamics::Finding;
using dynamics_msgs::msg::ModelFinding;

std::uint8_t severity_code(Finding::Severity severity) {
  switch (severity) {
    case Finding::Severity::warning: return ModelFinding::WARNING;
    case Finding::Severity::error: return ModelFinding::ERROR;
    case Finding::Severity::information: break;
  }
  return ModelFinding::INFORMATION;
}

std::uint8_t kind_code(Finding::Kind kind) {
  switch (kind) {
    case Finding::Kind::constraint:  // part of the robot; the finding has its name
    case Finding::Kind::robot: return ModelFinding::ROBOT;
    case Finding::Kind::link: return ModelFinding::LINK;
    case Finding::Kind::joint: return ModelFinding::JOINT;
    case Finding::Kind::file: break;
  }
  return ModelFinding::FILE;
}

ModelFinding to_message(const Finding& finding) {
  ModelFinding message;
  message.severity = severity_code(finding.severity);
  message.kind = kind_code(finding.kind);
  message.name = finding.name;
  message.code = finding.code;
  message.message = finding.message;
  message.repair = finding.repair;
  message.fixable = finding.fixable;
  message.line = static_cast<std::uint32_t>(finding.line);
  return message;
}

}  // namespace

void DynamicsServer::check_model(const Request<dynamics_msgs::srv::CheckModel>& request,
                                 Response<dynamics_msgs::srv::CheckModel>& response) const {
  respond(response, [&](auto& answer) {
    std::shared_ptr<const std::string> received;
    using Check = Request<dynamics_msgs::srv::CheckModel>;
    if (request.source == Check::RECEIVED) {
      if (!request.urdf.empty()) {
        throw Fault(ResultCode::INVALID_VALUE,
                    fmt::format("source is RECEIVED ({}), which checks the description received: "
                                "leave urdf empty, or give source TEXT ({})",
                                Check::RECEIVED, Check::TEXT));
      }
      const std::lock_guard lock(access_);
      received = received_;
      if (!received) {
        throw Fault(ResultCode::NO_MODEL,
                    "source is RECEIVED, and no robot description has been received yet");
      }
    } else if (request.source != Check::TEXT) {
      throw Fault(ResultCode::INVALID_VALUE,
                  fmt::format("source is {}; it must be RECEIVED ({}) or TEXT ({})", request.source,
                              Check::RECEIVED, Check::TEXT));
    }
    const std::string& text = received ? *received : request.urdf;
    const char* source = received ? "robot_description" : "urdf";
    dynamics::CheckOptions options;
    options.condition = !request.without_condition;
    const dynamics::CheckReport report = dynamics::check_urdf(text, source, options);
    answer.robot = report.robot;
    answer.links = static_cast<std::uint32_t>(report.links);
    answer.joints = static_cast<std::uint32_t>(report.joints);
    answer.coordinates = static_cast<std::uint32_t>(report.coordinates);
    answer.mass = report.mass;
    answer.loads = report.loads && report.coordinates > 0;  // one that cannot move is refused
    answer.errors = static_cast<std::uint32_t>(report.count(Finding::Severity::error));
    answer.warnings = static_cast<std::uint32_t>(report.count(Finding::Severity::warning));
    for (const Finding& finding : report.findings) answer.findings.push_back(to_message(finding));
    if (report.condition) {
      const dynamics::ConditionRange& range = *report.condition;
      answer.condition_samples = static_cast<std::uint32_t>(range.samples);
      answer.condition_smallest = range.smallest;
      answer.condition_median = range.median;
      answer.condition_largest = range.largest;
      answer.condition_largest_scaled = range.largest_scaled;
      answer.worst_position.joint_names = dynamics::model_from_urdf(text).coordinate_names();
      answer.worst_position.positions = range.worst_position;
      answer.weakest_joint = range.weakest;
    }
    if (request.return_repaired) answer.repaired = dynamics::repair_urdf(text, source);
  });
}

}  // namespace dynamics_ros
