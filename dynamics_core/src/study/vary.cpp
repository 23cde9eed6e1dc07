// SPDX-License-Identifier: Apache-2.0
// Applies the values of a case to robot, start and gains. Inertias stay physical: a scaled mass
// scales the inertia about the center of mass with it, a moved center keeps it, and a stretch maps
// the second moments of the mass distribution.

#include <fmt/format.h>

#include <cmath>

#include "study/evaluate.hpp"

namespace dynamics::study {
namespace {

double changed(Change change, double base, double value) {
  switch (change) {
    case Change::set: return value;
    case Change::scale: return base * value;
    case Change::add: return base + value;
  }
  return value;
}

void check_sign(const Variation& variation, double value, const std::string& element) {
  const auto sign = variation.quantity->sign;
  const bool wrong = (sign == Quantity::Sign::positive && !(value > 0.0)) ||
                     (sign == Quantity::Sign::not_negative && !(value >= 0.0)) ||
                     !std::isfinite(value);
  if (!wrong) return;
  throw ArgumentError(element, fmt::format("{} {:g} drawn by '{}': must {}; narrow the "
                                           "distribution or give bounds",
                                           variation.quantity->name, value, variation.name,
                                           sign == Quantity::Sign::any        ? "be finite"
                                           : sign == Quantity::Sign::positive ? "be positive"
                                                                              : "not be negative"));
}

/// The inertia after scaling all positions along one axis of the link by `factor`: the second
/// moments P = 1/2 tr(I) 1 - I become S P S, which stays positive semidefinite.
Eigen::Matrix3d stretched(const Eigen::Matrix3d& inertia, Eigen::Index axis, double factor) {
  Eigen::Matrix3d moments = 0.5 * inertia.trace() * Eigen::Matrix3d::Identity() - inertia;
  moments.row(axis) *= factor;
  moments.col(axis) *= factor;
  return moments.trace() * Eigen::Matrix3d::Identity() - moments;
}

void vary_link(const Variation& variation, double value, LinkDescription& link) {
  Inertial& inertial = *link.inertial;
  switch (variation.quantity->kind) {
    case QuantityKind::mass: {
      const double mass = changed(variation.change, inertial.mass, value);
      check_sign(variation, mass, "link '" + link.name + "'");
      inertial.inertia *= mass / inertial.mass;
      inertial.mass = mass;
      break;
    }
    case QuantityKind::center: {
      double& center = inertial.center[variation.quantity->axis];
      center = changed(variation.change, center, value);
      break;
    }
    case QuantityKind::inertia:
      check_sign(variation, value, "link '" + link.name + "'");
      inertial.inertia *= value;
      break;
    default:
      check_sign(variation, value, "link '" + link.name + "'");
      inertial.inertia = stretched(inertial.inertia, variation.quantity->axis, value);
  }
}

void vary_joint(const Variation& variation, double value, JointDescription& joint) {
  const QuantityKind kind = variation.quantity->kind;
  double& number = kind == QuantityKind::damping    ? joint.damping
                   : kind == QuantityKind::friction ? joint.friction
                                                    : joint.rotor_inertia;
  number = changed(variation.change, number, value);
  check_sign(variation, number, "joint '" + joint.name + "'");
}

/// A gain list with one entry per joint.
void vary_gains(const Variation& variation, double value, const Model& model,
                std::vector<double>& gains) {
  if (gains.empty()) gains.assign(model.size(), 0.0);  // all are set
  if (gains.size() == 1) gains.assign(model.size(), gains[0]);
  for (const std::size_t i : variation.targets) {
    if (i >= gains.size())
      throw ArgumentError(std::string(variation.quantity->name),
                          fmt::format("has {} entries; one per joint are needed", gains.size()));
    gains[i] = changed(variation.change, gains[i], value);
    check_sign(variation, gains[i], "joint '" + model.coordinates()[i].name + "'");
  }
}

struct ChangedRobot {
  const StudyRobot& nominal;
  std::optional<RobotDescription> copy = std::nullopt;
  Eigen::Vector3d gravity = nominal.gravity;
  std::optional<Payload> payload = std::nullopt;
  bool changed = false;  ///< gravity or payload

  RobotDescription& description() {
    if (!copy) copy = nominal.description;
    return *copy;
  }
};

void vary_robot(const Variation& variation, double value, const Model& model, ChangedRobot& robot) {
  robot.changed = true;
  const Eigen::Index axis = variation.quantity->axis;
  switch (variation.quantity->kind) {
    case QuantityKind::gravity:
      robot.gravity[axis] = changed(variation.change, robot.gravity[axis], value);
      break;
    case QuantityKind::gravity_scale: robot.gravity *= value; break;
    case QuantityKind::payload: {
      if (!robot.payload) {
        robot.payload.emplace();
        robot.payload->frame = model.frames()[model.end_effector()].name;
      }
      robot.payload->mass = changed(variation.change, robot.payload->mass, value);
      check_sign(variation, robot.payload->mass, "payload");
      break;
    }
    default: {
      double& center = robot.payload->center[axis];
      center = changed(variation.change, center, value);
    }
  }
}

}  // namespace

CaseSetup apply_variations(const Plan& plan, const Nominal& nominal,
                           std::span<const double> values) {
  CaseSetup setup{.model = std::nullopt,
                  .mechanism = std::nullopt,
                  .options = plan.task.options,
                  .gains = plan.task.controller_options.gains};
  ChangedRobot robot{.nominal = nominal.robot};
  robot.payload = plan.task.payload;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const Variation& variation = plan.variations[k];
    const double value = values[k];
    switch (variation.quantity->kind) {
      case QuantityKind::q0:
      case QuantityKind::qd0: {
        const bool position = variation.quantity->kind == QuantityKind::q0;
        std::vector<double>& start = position ? setup.options.q0 : setup.options.qd0;
        for (const std::size_t i : variation.targets)
          start[i] = changed(variation.change, start[i], value);
        break;
      }
      case QuantityKind::kp: vary_gains(variation, value, nominal.model, setup.gains.kp); break;
      case QuantityKind::kd: vary_gains(variation, value, nominal.model, setup.gains.kd); break;
      case QuantityKind::bandwidth:
        vary_gains(variation, value, nominal.model, setup.gains.bandwidth);
        break;
      case QuantityKind::damping_ratio:
        vary_gains(variation, value, nominal.model, setup.gains.damping);
        break;
      default:
        if (variation.quantity->target == Target::robot) {
          vary_robot(variation, value, nominal.model, robot);
        } else if (variation.quantity->target == Target::link) {
          for (const std::size_t i : variation.targets)
            vary_link(variation, value, robot.description().links[i]);
        } else {
          for (const std::size_t i : variation.targets)
            vary_joint(variation, value, robot.description().joints[i]);
        }
    }
  }
  const bool with_payload = robot.payload && robot.payload->mass > 0.0;
  const ModelOptions options{.gravity = robot.gravity};
  if (nominal.has_loops) {
    if (!robot.copy) robot.copy = nominal.robot.description;
    setup.mechanism.emplace(std::move(*robot.copy), options);
    if (with_payload) setup.mechanism = setup.mechanism->with_payload(*robot.payload);
    return setup;
  }
  if (robot.copy) {
    setup.model.emplace(std::move(*robot.copy), options);
  } else if (robot.changed) {
    setup.model = nominal.model.with_gravity(robot.gravity);
  }
  if (with_payload)
    setup.model = (setup.model ? *setup.model : nominal.model).with_payload(*robot.payload);
  return setup;
}

}  // namespace dynamics::study
