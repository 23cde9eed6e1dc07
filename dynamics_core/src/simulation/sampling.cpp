// SPDX-License-Identifier: Apache-2.0
#include "simulation/sampling.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "dynamics_core/simulate.hpp"
#include "dynamics_core/view.hpp"

namespace dynamics {

void require_positive(const char* name, double value) {
  if (!(value > 0.0) || !std::isfinite(value)) {
    throw ArgumentError(fmt::format("{} is {}; it must be positive and finite", name, value));
  }
}

std::vector<double> sample_times(double duration, double sample) {
  require_positive("sample", sample);
  const double intervals = std::floor(duration / sample * (1.0 + 1e-12));
  if (intervals > 1e8) {
    throw ArgumentError(
        fmt::format("sample {} s is too small: more than 1e8 samples in {} s", sample, duration));
  }
  std::vector<double> times;
  const auto count = static_cast<std::size_t>(intervals);
  for (std::size_t i = 0; i <= count; ++i)
    times.push_back(std::min(duration, static_cast<double>(i) * sample));
  if (duration - times.back() > 1e-9 * sample) {
    times.push_back(duration);
  } else {
    times.back() = duration;
  }
  return times;
}

void record_sample(Recording& run, Plant& plant, double t, std::span<const double> q,
                   std::span<const double> qd, std::span<const double> qdd,
                   std::span<const double> tau) {
  run.t.push_back(t);
  double actuator_power = 0.0;
  for (std::size_t i = 0; i < plant.joints(); ++i) {
    run.q[i].push_back(q[i]);
    run.qd[i].push_back(qd[i]);
    run.qdd[i].push_back(qdd[i]);
    run.tau[i].push_back(tau[i]);
    actuator_power += tau[i] * qd[i];
  }
  run.power.push_back(actuator_power);
  const PlantEnergy energies = plant.energy(t, q, qd);
  run.kinetic.push_back(energies.kinetic);
  run.potential.push_back(energies.potential);
  run.strain.push_back(energies.strain);
  const Pose tip = plant.frame_pose(t, q, plant.model().end_effector());
  const Eigen::Quaterniond orientation(tip.rotation);
  const Eigen::Vector3d center_of_mass = plant.center_of_mass(t, q, qd);
  for (std::size_t k = 0; k < 3; ++k) {
    run.end_effector[k].push_back(tip.translation[static_cast<Eigen::Index>(k)]);
    run.center_of_mass[k].push_back(center_of_mass[static_cast<Eigen::Index>(k)]);
  }
  for (std::size_t k = 0; k < 4; ++k)
    run.end_effector_orientation[k].push_back(orientation.coeffs()[static_cast<Eigen::Index>(k)]);
  for (std::size_t i = 0; i < run.amplitudes.size(); ++i) {
    run.amplitudes[i].push_back(q[plant.joints() + i]);
    run.amplitude_rates[i].push_back(qd[plant.joints() + i]);
  }
  for (std::size_t i = 0; i < run.beams.size(); ++i) {
    const Eigen::Vector3d end = plant.tip_deflection(q, i);
    run.tips[2 * i].push_back(end.y());
    run.tips[2 * i + 1].push_back(end.z());
  }
}

void prepare_columns(Recording& run, const Plant& plant) {
  run.amplitude_names = plant.amplitude_names();
  run.amplitudes.resize(run.amplitude_names.size());
  run.amplitude_rates.resize(run.amplitude_names.size());
  run.beams = plant.beams();
  for (const BeamShapes& beam : run.beams) {
    run.tip_names.push_back(beam.link + "_y");
    run.tip_names.push_back(beam.link + "_z");
  }
  run.tips.resize(run.tip_names.size());
}

void finish_energies(Recording& run) {
  double peak = 0.0;
  for (std::size_t i = 0; i < run.size(); ++i) {
    // lower bound of the scale: without motion, round-off of the stored energy must not look large
    constexpr double stored_fraction = 1e-6;
    peak = max_propagating_nan(peak, run.kinetic[i]);
    peak = max_propagating_nan(peak, stored_fraction * std::abs(run.potential[i] + run.strain[i]));
  }
  run.energy_drift.assign(run.size(), 0.0);
  if (peak == 0.0) return;
  for (std::size_t i = 0; i < run.size(); ++i) {
    const double gain = (run.kinetic[i] - run.kinetic[0]) + (run.potential[i] - run.potential[0]) +
                        (run.strain[i] - run.strain[0]);
    run.energy_drift[i] = (gain - run.work[i]) / peak;
  }
  run.statistics.energy_drift = max_abs(run.energy_drift);
}

void finish_motion(Recording& run) {
  for (const auto& column : run.q) run.settings.q0.push_back(column.front());
  for (const auto& column : run.qd) run.settings.qd0.push_back(column.front());
  finish_energies(run);
}

namespace {

/// Work of actuators and friction along a trajectory: the integral of the power of the inverse
/// dynamics torques. Computed without energies, so that the energy balance checks the torques.
class WorkIntegral {
 public:
  WorkIntegral(Plant& plant, const Trajectory& trajectory)
      : plant_(plant),
        trajectory_(trajectory),
        breakpoints_(trajectory.breakpoints()),
        q_(trajectory.size()),
        qd_(q_),
        qdd_(q_),
        tau_(q_) {}

  /// Work from one time to another; consecutive calls must cover consecutive intervals.
  double between(double from, double to) {
    double work = 0.0;
    const auto last = std::lower_bound(breakpoints_.begin(), breakpoints_.end(), to);
    for (auto next = std::upper_bound(breakpoints_.begin(), last, from); next != last; ++next) {
      work += integral(from, *next);
      from = *next;
    }
    return work + integral(from, to);
  }

 private:
  struct Panel {
    double work = 0.0;       ///< integral of the power
    double magnitude = 0.0;  ///< integral of the sum of |tau qd| over the joints
  };

  double integral(double from, double to) {
    const Panel coarse = panel(from, to);
    total_magnitude_ += coarse.magnitude;
    return refined(from, to, coarse, 10);
  }

  /// Bisects the interval until the two halves agree with the undivided interval.
  double refined(double from, double to, const Panel& coarse, int depth) {
    constexpr double tolerance = 1e-13;
    const double middle = 0.5 * (from + to);
    const Panel left = panel(from, middle), right = panel(middle, to);
    const double work = left.work + right.work;
    if (depth == 0 || !(std::abs(work - coarse.work) > tolerance * total_magnitude_)) return work;
    return refined(from, middle, left, depth - 1) + refined(middle, to, right, depth - 1);
  }

  /// Gauss-Legendre quadrature with five points.
  Panel panel(double from, double to) {
    constexpr double inner = 0.53846931010568309, outer = 0.90617984593866399;
    constexpr double nodes[] = {-outer, -inner, 0.0, inner, outer};
    constexpr double w_outer = 0.23692688505618909, w_inner = 0.47862867049936647;
    constexpr double weights[] = {w_outer, w_inner, 128.0 / 225.0, w_inner, w_outer};
    const double half = 0.5 * (to - from);
    Panel sum;
    for (std::size_t k = 0; k < 5; ++k) {
      const double t = 0.5 * (from + to) + half * nodes[k];
      trajectory_.at(t, q_, qd_, qdd_);
      plant_.feedforward_torques(t, q_, qd_, qdd_, tau_);
      sum.work += half * weights[k] * plant_.power(t, q_, qd_, qdd_, tau_);
      for (std::size_t i = 0; i < tau_.size(); ++i)
        sum.magnitude += half * weights[k] * std::abs(tau_[i] * qd_[i]);
    }
    return sum;
  }

  Plant& plant_;
  const Trajectory& trajectory_;
  std::vector<double> breakpoints_, q_, qd_, qdd_, tau_;
  double total_magnitude_ = 0.0;  ///< scale of the tolerance
};

}  // namespace

Recording torques_along(const Model& model, const Trajectory& trajectory, double duration,
                        double sample, Friction friction) {
  const auto plant = rigid_plant(model, {.friction = friction, .dry_friction = false});
  Recording run = torques_along(*plant, trajectory, duration, sample);
  run.settings.friction = friction;
  return run;
}

Recording torques_along(Plant& plant, const Trajectory& trajectory, double duration,
                        double sample) {
  const Model& model = plant.model();
  require_positive("duration", duration);
  if (trajectory.size() != model.size()) {
    throw ArgumentError(fmt::format("the desired trajectory has {} joints; '{}' has {}",
                                    trajectory.size(), model.name(), model.size()));
  }
  if (plant.size() != plant.joints()) {
    throw ArgumentError(
        fmt::format("'{}' has {} coordinates besides its joints; torques_along needs "
                    "a rigid robot",
                    model.name(), plant.size() - plant.joints()));
  }
  Recording run(model);
  run.settings.robot = model.name();
  run.settings.source = model.description().source;
  run.settings.scenario = "inverse";
  run.settings.integrator = "none";
  run.settings.duration = duration;
  run.settings.sample = sample;
  std::vector<double> q(model.size()), qd(q), qdd(q), tau(q);
  WorkIntegral work(plant, trajectory);
  for (const double t : sample_times(duration, sample)) {
    const double done = run.work.empty() ? 0.0 : run.work.back() + work.between(run.t.back(), t);
    trajectory.at(t, q, qd, qdd);
    plant.feedforward_torques(t, q, qd, qdd, tau);
    record_sample(run, plant, t, q, qd, qdd, tau);
    run.work.push_back(done);
  }
  finish_motion(run);
  return run;
}

}  // namespace dynamics
