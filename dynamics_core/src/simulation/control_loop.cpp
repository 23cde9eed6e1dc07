// SPDX-License-Identifier: Apache-2.0
#include "simulation/control_loop.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "dynamics_core/integrators.hpp"
#include "simulation/closed_reference.hpp"
#include "simulation/sampling.hpp"
#include "simulation/schedule.hpp"

namespace dynamics {
namespace {

void check_sampling(const SimulationOptions& options) {
  const ControlSampling& sampling = options.sampling;
  const auto check = [](const char* name, double value) {
    if (value >= 0.0 && std::isfinite(value)) return;
    throw ArgumentError(fmt::format("{} is {}; it must be finite and not negative", name, value));
  };
  check("sampling.period", sampling.period);
  check("sampling.delay", sampling.delay);
  check("sampling.position_resolution", sampling.position_resolution);
  check("sampling.velocity_resolution", sampling.velocity_resolution);
  check("sampling.torque_resolution", sampling.torque_resolution);
  if (sampling.period == 0.0) {
    if (sampling.delay > 0.0 || sampling.position_resolution > 0.0 ||
        sampling.velocity_resolution > 0.0 || sampling.torque_resolution > 0.0) {
      throw ArgumentError(
          "sampling.delay and the resolutions need a sampled controller: set sampling.period");
    }
    return;
  }
  if (options.duration / sampling.period > 1e9) {
    throw ArgumentError(
        fmt::format("sampling.period is {} s: more than 1e9 control periods in {} s",
                    sampling.period, options.duration));
  }
  if (sampling.period > options.duration) {
    throw ArgumentError(
        fmt::format("the control period {} s is longer than the simulation of {} s: the control "
                    "rate must be at least {:.6g} Hz",
                    sampling.period, options.duration, 1.0 / options.duration));
  }
  if (sampling.delay / sampling.period > 1e6) {
    throw ArgumentError(
        fmt::format("sampling.delay {} s is more than 1e6 control periods", sampling.delay));
  }
  if (!options.step) return;
  const double steps = sampling.period / *options.step;
  if (std::abs(steps - std::round(steps)) > 1e-6 || steps < 0.5) {
    const double fitting = std::max(1.0, std::round(steps)) * *options.step;
    throw ArgumentError(
        fmt::format("the control period {:.6g} s is not a multiple of the integrator's step {:.6g} "
                    "s: a control rate of {:.6g} Hz would be",
                    sampling.period, *options.step, 1.0 / fitting));
  }
}

double rounded(double x, double resolution) {
  return resolution > 0.0 ? resolution * std::round(x / resolution) : x;
}

}  // namespace

ControlLoop::ControlLoop(Controller& controller, Plant& plant, const SimulationOptions& options,
                         std::span<const double> q0, std::span<const double> qd0)
    : controller_(controller),
      plant_(plant),
      sampling_(options.sampling),
      reference_(options.trajectory),
      given_reference_(options.trajectory != nullptr),
      joints_(plant.joints()),
      q_ref_(joints_),
      qd_ref_(joints_),
      qdd_ref_(joints_),
      measured_q_(plant.size()),
      measured_qd_(plant.size()),
      held_(joints_, 0.0),
      interval_end_(std::numeric_limits<double>::infinity()) {
  check_sampling(options);
  if (options.limits) {
    for (const Coordinate& coordinate : plant.model().coordinates())
      effort_limits_.push_back(coordinate.effort);
  }
  for (std::size_t i = 0; i < joints_; ++i) {
    if (!plant.actuated(i)) passive_.push_back(i);
  }
  if (reference_ && plant.mechanism() != nullptr)
    reference_ = std::make_shared<ClosedReference>(*plant.mechanism(), reference_, q0);
  if (!reference_) {
    reference_ = hold_trajectory({q0.begin(), q0.begin() + static_cast<std::ptrdiff_t>(joints_)});
  }
  controller_.start(plant, q0, qd0);
  if (sampling_.period == 0.0) return;
  queue_ = static_cast<std::size_t>(std::ceil(sampling_.delay / sampling_.period)) + 2;
  commands_.assign(queue_ * joints_, 0.0);
  pass(0.0, q0, qd0);
}

std::vector<double> ControlLoop::jumps() const {
  if (sampling_.period > 0.0) return {};
  std::vector<double> times = controller_.breakpoints();
  if (!controller_.follows_reference()) return times;
  const std::vector<double> more = reference_->breakpoints();
  times.insert(times.end(), more.begin(), more.end());
  return times;
}

void ControlLoop::compute(double t, std::span<const double> q, std::span<const double> qd,
                          std::span<double> tau) {
  reference_->at(t, q_ref_, qd_ref_, qdd_ref_);
  controller_.torques({.t = t,
                       .q = q,
                       .qd = qd,
                       .q_ref = q_ref_,
                       .qd_ref = qd_ref_,
                       .qdd_ref = qdd_ref_,
                       .plant = plant_},
                      tau);
  for (const std::size_t joint : passive_) tau[joint] = 0.0;
  for (std::size_t i = 0; i < tau.size(); ++i) {
    if (!std::isfinite(tau[i])) {
      throw StateError("controller " + controller_.name(),
                       fmt::format("the torque of joint '{}' is not finite at t = {} s",
                                   plant_.model().coordinates()[i].name, t));
    }
  }
  for (std::size_t i = 0; i < effort_limits_.size(); ++i)
    tau[i] = std::clamp(tau[i], -effort_limits_[i], effort_limits_[i]);
}

void ControlLoop::torques(const double& t, std::span<const double> q, std::span<const double> qd,
                          std::span<double> tau) {
  if (sampling_.period == 0.0) {
    compute(before(interval_end_, t), q, qd, tau);
  } else {
    std::copy(held_.begin(), held_.end(), tau.begin());
  }
}

double ControlLoop::next() const {
  if (sampling_.period == 0.0) return std::numeric_limits<double>::infinity();
  return changed_ < measured_ ? std::min(measurement_time(), change_time()) : measurement_time();
}

void ControlLoop::pass(double t, std::span<const double> q, std::span<const double> qd) {
  if (sampling_.period == 0.0) return;
  const double due = t + 1e-9 * sampling_.period;
  while (next() <= due) {
    const bool measures = measurement_time() <= due;
    if (measures) {
      for (std::size_t i = 0; i < q.size(); ++i) {
        measured_q_[i] = rounded(q[i], sampling_.position_resolution);
        measured_qd_[i] = rounded(qd[i], sampling_.velocity_resolution);
      }
      const auto tau = command(measured_);
      compute(measurement_time(), measured_q_, measured_qd_, tau);
      for (double& x : tau) x = rounded(x, sampling_.torque_resolution);
      ++measured_;
    }
    while (changed_ < measured_ && change_time() <= due) {
      const auto tau = command(changed_);
      std::copy(tau.begin(), tau.end(), held_.begin());
      ++changed_;
    }
  }
}

}  // namespace dynamics
