// SPDX-License-Identifier: Apache-2.0
#include "batch/batch_memory.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

namespace dynamics {
namespace {

std::size_t thread_count(std::size_t asked) {
  const std::size_t processors = std::max(1U, std::thread::hardware_concurrency());
  return asked == 0 ? processors
                    : std::min<std::size_t>(asked, std::max<std::size_t>(processors, 2));
}

/// The size of the last-level cache. Servers report the sum of several caches, of which a thread
/// uses one.
std::size_t last_level_cache() {
  constexpr std::size_t usual = std::size_t{32} << 20U;
#ifdef _SC_LEVEL3_CACHE_SIZE
  const long reported = sysconf(_SC_LEVEL3_CACHE_SIZE);
  if (reported > 0) return std::min(static_cast<std::size_t>(reported), usual);
#endif
  return usual;
}

void copy(const double& from, float& to) { to = static_cast<float>(from); }
template <std::size_t count>
void copy(const double (&from)[count], float (&to)[count]) {
  for (std::size_t i = 0; i < count; ++i) to[i] = static_cast<float>(from[i]);
}
/// The numbers of a body rounded to floats.
void copy(const TreeBody& from, BasicTreeBody<float>& to) {
  to.parent = from.parent;
  to.alpha_kind = from.alpha_kind;
  to.prismatic = from.prismatic;
  to.has_beta = from.has_beta;
  to.parent_is_revolute_root = from.parent_is_revolute_root;
  to.at_parent_origin = from.at_parent_origin;
  to.next_is_child = from.next_is_child;
  to.has_nonadjacent_child = from.has_nonadjacent_child;
  to.carries_mass = from.carries_mass;
  copy(from.rotor_inertia, to.rotor_inertia);
  copy(from.offset, to.offset);
  copy(from.cos_alpha, to.cos_alpha);
  copy(from.sin_alpha, to.sin_alpha);
  copy(from.position, to.position);
  copy(from.slide, to.slide);
  copy(from.shift, to.shift);
  copy(from.minimal.first_moment, to.minimal.first_moment);
  copy(from.minimal.pseudo_inertia, to.minimal.pseudo_inertia);
  copy(from.minimal.inertia_zz, to.minimal.inertia_zz);
  copy(from.minimal.mass, to.minimal.mass);
  copy(from.cos_beta, to.cos_beta);
  copy(from.sin_beta, to.sin_beta);
  copy(from.cos_offset, to.cos_offset);
  copy(from.sin_offset, to.sin_offset);
  copy(from.mass, to.mass);
  copy(from.first_moment, to.first_moment);
  copy(from.inertia, to.inertia);
  copy(from.pseudo_inertia, to.pseudo_inertia);
  copy(from.inertia_differences, to.inertia_differences);
  copy(from.center_shift, to.center_shift);
  copy(from.damping, to.damping);
  copy(from.friction, to.friction);
  // a member that is not copied here
  static_assert(sizeof(TreeBody) == 16 + 48 * sizeof(double));
}

std::string message_of(const Problem& problem, const Model& model) {
  try {
    raise(problem, model);
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace

void raise(const BatchProblem& problem, const Model& model) {
  using Kind = BatchProblem::Kind;
  if (problem.kind == Kind::argument) throw ArgumentError(problem.argument.message());
  if (problem.kind == Kind::overlap) {
    throw ArgumentError(
        fmt::format("{} and {} overlap in memory: give each memory of its own{}",
                    problem.overlapping[0], problem.overlapping[1],
                    problem.could_replace ? ", or the same one in the same layout" : ""));
  }
  if (problem.kind == Kind::call) raise(problem.reason, model);
  const std::string reason = message_of(problem.reason, model);
  const std::size_t others = problem.states - problem.count;
  throw BatchError(
      problem.count == 1
          ? fmt::format("state {}: {} (the other {} states are computed)", problem.first, reason,
                        others)
          : fmt::format("state {}, the first of {} without a result: {} (the other {} states are "
                        "computed)",
                        problem.first, problem.count, reason, others),
      problem.first, problem.count);
}

BatchWorkspace::Memory::Memory(const Model& model, const BatchOptions& options)
    : pool(thread_count(options.threads)),
      single(model),
      derivative(model),
      joints(model.body_count()),
      float_tree(model.body_count()),
      cache_bytes(last_level_cache()),
      faults(pool.size()) {
  for (std::vector<double>& each : row) each.resize(model.size());
  const std::size_t bytes =
      std::max({std::size_t{1}, scratch_bytes<double>(model), scratch_bytes<float>(model)});
  for (std::size_t i = 0; i < pool.size(); ++i) {
    scratch.emplace_back(static_cast<std::byte*>(::operator new[](bytes, line)));
  }
}

template <class Real>
std::size_t BatchWorkspace::Memory::scratch_bytes(const Model& model) {
  BatchJobOf<Real> job;
  set_model(job, model);
  // a payload may change whether a mimic joint is massless
  job.massless_mimic = single.memory().dense.size() > 0;
  return kernels<Real>().scratch_bytes(job);
}

template <class Real>
void BatchWorkspace::Memory::set_model(BatchJobOf<Real>& job, const Model& model) noexcept {
  const Workspace::Memory& memory = single.memory();
  if constexpr (std::is_same_v<Real, float>) {
    for (std::size_t i = 0; i < float_tree.size(); ++i) copy(model.tree()[i], float_tree[i]);
    job.tree = float_tree;
  } else {
    job.tree = model.tree();
  }
  job.size = model.size();
  job.friction_velocity = model.friction_velocity();
  job.pitches = model.pitch_coordinates().data();
  job.pitch_count = model.pitch_coordinates().size();
  if (model.coordinates_are_bodies()) return;
  for (std::size_t i = 0; i < joints.size(); ++i) {
    const Body& body = model.bodies()[i];
    joints[i] = {body.coordinate, body.multiplier, body.offset, model.is_mimic(i)};
  }
  job.joints = joints.data();
  job.leaders = memory.leaders.data();
  job.followers = memory.followers.data();
  job.coupling_count = static_cast<std::size_t>(memory.coupling_columns.cols());
  job.massless_mimic = solves_over_coordinates(model) && memory.dense.size() > 0;
}
template void BatchWorkspace::Memory::set_model(BatchJobOf<double>&, const Model&) noexcept;
template void BatchWorkspace::Memory::set_model(BatchJobOf<float>&, const Model&) noexcept;

BatchWorkspace::BatchWorkspace(const Model& model, const BatchOptions& options)
    : memory_(std::make_unique<Memory>(model, options)) {}
BatchWorkspace::~BatchWorkspace() = default;
BatchWorkspace::BatchWorkspace(BatchWorkspace&&) noexcept = default;
BatchWorkspace& BatchWorkspace::operator=(BatchWorkspace&&) noexcept = default;
std::size_t BatchWorkspace::threads() const { return memory_->pool.size(); }
std::size_t BatchWorkspace::pack_size() const { return memory_->kernels<double>().pack_size; }

}  // namespace dynamics
