// SPDX-License-Identifier: Apache-2.0
#include "simulation/joint_stops.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace dynamics {

JointStops::JointStops(Plant& plant, double restitution, FreeAccelerations free)
    : plant_(&plant),
      restitution_(restitution),
      free_(free),
      contact_(plant.joints(), 0),
      force_(plant.joints(), 0.0),
      change_(plant.joints(), 0.0),
      acceleration_(plant.size(), 0.0),
      response_(plant.joints(), std::vector<double>(plant.size(), 0.0)),
      lu_(plant.joints()) {}

double JointStops::stop_position(std::size_t joint, int side) const {
  const Coordinate& coordinate = plant_->model().coordinates()[joint];
  return side < 0 ? coordinate.lower : coordinate.upper;
}

bool JointStops::has_stop(std::size_t joint, Side side) const {
  return std::isfinite(stop_position(joint, side == Side::lower ? -1 : 1));
}

double JointStops::gap(std::size_t joint, Side side, Input q) const {
  if (contact_[joint] != 0) return 1.0;
  return side == Side::lower ? q[joint] - stop_position(joint, -1)
                             : stop_position(joint, 1) - q[joint];
}

void JointStops::start(double t, Output q, Output qd) {
  for (std::size_t i = 0; i < contact_.size(); ++i) {
    const Coordinate& joint = plant_->model().coordinates()[i];
    if (q[i] < joint.lower || q[i] > joint.upper) {
      throw ArgumentError(
          fmt::format("q0 of joint '{}' is {}; it must lie between its stops at {} and {}",
                      joint.name, q[i], joint.lower, joint.upper));
    }
    const int side = q[i] == joint.lower ? -1 : q[i] == joint.upper ? 1 : 0;
    if (side != 0 && side * qd[i] >= 0.0) {
      impact(t, q, qd, i, side < 0 ? Side::lower : Side::upper);
    }
  }
}

void JointStops::solve(double t, Input q, Input change) {
  const std::size_t n = contact_.size();
  auto& matrix = lu_.matrix();
  for (std::size_t j = 0; j < n; ++j) {
    if (contact_[j] != 0) plant_->impulse_response(t, q, j, response_[j]);
    for (std::size_t i = 0; i < n; ++i) {
      const bool both = contact_[i] != 0 && contact_[j] != 0;
      matrix[i * n + j] = both ? response_[j][i] : i == j ? 1.0 : 0.0;
    }
  }
  for (std::size_t i = 0; i < n; ++i) force_[i] = contact_[i] != 0 ? change[i] : 0.0;
  if (!lu_.decompose()) {
    throw StateError("",
                     "the inertia matrix of the joints in contact with their stops is singular");
  }
  lu_.solve(force_);
}

void JointStops::add_response(Output x) const {
  for (std::size_t j = 0; j < contact_.size(); ++j) {
    if (contact_[j] == 0) continue;
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += response_[j][i] * force_[j];
  }
}

void JointStops::apply_contact_forces(double t, Input q, Output qdd) {
  if (std::all_of(contact_.begin(), contact_.end(), [](int side) { return side == 0; })) return;
  for (std::size_t i = 0; i < change_.size(); ++i) change_[i] = -qdd[i];
  solve(t, q, change_);
  add_response(qdd);
  for (std::size_t i = 0; i < contact_.size(); ++i) {
    if (contact_[i] != 0) qdd[i] = 0.0;
  }
}

double JointStops::contact_force(double t, Input q, Input qd, std::size_t joint) {
  if (contact_[joint] == 0) return 1.0;
  free_(t, q, qd, acceleration_);
  apply_contact_forces(t, q, acceleration_);
  return -contact_[joint] * force_[joint];
}

void JointStops::release(Output q, std::size_t joint) {
  // slightly inside the range, so that the next approach is a sign change of the gap
  constexpr double inset = 1e-13;
  const double stop = stop_position(joint, contact_[joint]);
  q[joint] = stop - contact_[joint] * inset * std::max(1.0, std::abs(stop));
  contact_[joint] = 0;
}

void JointStops::release_pulling_contacts(double t, Output q, Output qd) {
  while (true) {
    free_(t, q, qd, acceleration_);
    apply_contact_forces(t, q, acceleration_);
    std::size_t weakest = contact_.size();
    double least = 0.0;
    for (std::size_t i = 0; i < contact_.size(); ++i) {
      if (contact_[i] == 0 || !(-contact_[i] * force_[i] < least)) continue;
      least = -contact_[i] * force_[i];
      weakest = i;
    }
    if (weakest == contact_.size()) return;
    release(q, weakest);
  }
}

bool JointStops::impact(double t, Output q, Output qd, std::size_t joint, Side side) {
  contact_[joint] = side == Side::lower ? -1 : 1;
  q[joint] = stop_position(joint, contact_[joint]);
  const bool rebounds = restitution_ * std::abs(qd[joint]) >= resting_speed;
  const double velocity_after = rebounds ? -restitution_ * qd[joint] : 0.0;
  // the impulse may release other contacts
  for (bool again = true; again;) {
    for (std::size_t i = 0; i < change_.size(); ++i)
      change_[i] = (i == joint ? velocity_after : 0.0) - qd[i];
    solve(t, q, change_);
    again = false;
    for (std::size_t i = 0; i < contact_.size() && !again; ++i) {
      again = i != joint && contact_[i] != 0 && -contact_[i] * force_[i] < 0.0;
      if (again) release(q, i);
    }
  }
  add_response(qd);
  for (std::size_t i = 0; i < contact_.size(); ++i) {
    if (contact_[i] != 0) qd[i] = i == joint ? velocity_after : 0.0;
  }
  if (rebounds) release(q, joint);
  release_pulling_contacts(t, q, qd);
  return contact_[joint] != 0;
}

}  // namespace dynamics
