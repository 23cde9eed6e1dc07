// SPDX-License-Identifier: Apache-2.0
#include "simulation/complementarity.hpp"

#include <algorithm>
#include <cmath>

#include "base/eigen_index.hpp"

namespace dynamics {
namespace {

constexpr double round_off = 1e-11;  // of accelerations in closed loops

}  // namespace

void ForceLaw::clear() {
  count_ = 0;
  rigid_ = false;
}

/// The riser at `at`, inserted if there is none.
ForceLaw::Riser& ForceLaw::riser_for(double at) {
  std::size_t k = 0;
  while (k < count_ && risers_[k].at < at) ++k;
  if (k == count_ || risers_[k].at != at) {
    for (std::size_t j = count_; j > k; --j) {
      risers_[j] = risers_[j - 1];
      limits_[j] = limits_[j - 1];
      stops_[j] = stops_[j - 1];
    }
    ++count_;
    risers_[k] = {at, 0.0, 0.0};
    limits_[k] = 0.0;
    stops_[k] = 0;
  }
  return risers_[k];
}

void ForceLaw::add_force(double at, double limit) {
  if (rigid_) return;
  if (limit == infinity) {
    rigid_ = true;
    count_ = 1;
    risers_[0] = {at, -infinity, infinity};
    return;
  }
  Riser& riser = riser_for(at);
  limits_[static_cast<std::size_t>(&riser - risers_.data())] += limit;
  update_intervals();
}

void ForceLaw::add_stop(double at, int side) {
  if (rigid_) return;
  Riser& riser = riser_for(at);
  int& stop = stops_[static_cast<std::size_t>(&riser - risers_.data())];
  if (stop == -side) {  // between two stops
    add_force(at, infinity);
    return;
  }
  stop = side;
  update_intervals();
}

void ForceLaw::update_intervals() {
  double level = 0.0;
  for (std::size_t k = 0; k < count_; ++k) level += limits_[k];
  for (std::size_t k = 0; k < count_; ++k) {
    risers_[k].upper = stops_[k] < 0 ? infinity : level;
    level -= 2.0 * limits_[k];
    risers_[k].lower = stops_[k] > 0 ? -infinity : level;
  }
}

double ForceLaw::tread(std::size_t k) const {
  if (count_ == 0) return 0.0;
  return k < count_ ? risers_[k].upper : risers_[k - 1].lower;
}

std::size_t ForceLaw::riser_at(double at) const {
  if (rigid_) return 0;
  std::size_t k = 0;
  while (k + 1 < count_ && risers_[k].at != at) ++k;
  return k;
}

ComplementarityProblem::ComplementarityProblem(std::size_t size, Form form)
    : M(eigen_index(size), eigen_index(size)),
      h(eigen_index(size)),
      w(eigen_index(size)),
      lambda(eigen_index(size)),
      laws(size),
      segments(size, 0),
      form_(form),
      factor_(eigen_index(size), eigen_index(size)),
      part_(eigen_index(size)),
      first_entry_(size),
      on_riser_(size, 0),
      redundant_(size, 0) {
  entries_.reserve(size * size / 2);
  moving_.reserve(size);
  given_.reserve(size);
}

void ComplementarityProblem::clear() {
  for (ForceLaw& law : laws) law.clear();
  std::fill(segments.begin(), segments.end(), std::size_t{0});
}

/// factor_ = L^T D L with L unit lower triangular, from the last row on: the zeros of the inertia
/// matrix of a tree stay zeros (Featherstone 2008, section 6.5).
bool ComplementarityProblem::decompose(std::size_t count) {
  entries_.clear();
  for (std::size_t row = count; row-- > 0;) {
    const Eigen::Index k = eigen_index(row);
    first_entry_[row] = entries_.size();
    for (Eigen::Index i = 0; i < k; ++i) {
      if (factor_(k, i) != 0.0) entries_.push_back(i);
    }
    const double pivot = factor_(k, k);
    if (!(pivot > 0.0)) return false;
    const std::span<const Eigen::Index> entries(entries_.data() + first_entry_[row],
                                                entries_.size() - first_entry_[row]);
    for (std::size_t e = entries.size(); e-- > 0;) {
      const Eigen::Index i = entries[e];
      const double ratio = factor_(k, i) / pivot;
      for (const Eigen::Index j : entries.first(e + 1)) factor_(i, j) -= ratio * factor_(k, j);
      factor_(k, i) = ratio;
    }
  }
  return true;
}

/// Replaces part_ by factor_^-1 part_.
void ComplementarityProblem::substitute(std::size_t count) {
  const auto entries = [&](std::size_t row) {
    const std::size_t end = row > 0 ? first_entry_[row - 1] : entries_.size();
    return std::span<const Eigen::Index>(entries_.data() + first_entry_[row],
                                         end - first_entry_[row]);
  };
  for (std::size_t row = count; row-- > 0;) {
    const Eigen::Index k = eigen_index(row);
    for (const Eigen::Index i : entries(row)) part_[i] -= factor_(k, i) * part_[k];
  }
  for (std::size_t row = 0; row < count; ++row) {
    const Eigen::Index k = eigen_index(row);
    part_[k] /= factor_(k, k);
    for (const Eigen::Index i : entries(row)) part_[k] -= factor_(k, i) * part_[i];
  }
}

/// With S the rows whose lambda is given and R those whose w is:
///   M_SS w_S = h_S + lambda_S - M_SR w_R,     lambda_R = M_R w - h_R.
bool ComplementarityProblem::solve_linear(std::span<const char> given) {
  moving_.clear();
  given_.clear();
  for (std::size_t row = 0; row < given.size(); ++row)
    (given[row] != 0 ? given_ : moving_).push_back(eigen_index(row));
  if (form_ == Form::responses) return solve_by_responses(given);
  const std::size_t count = moving_.size();
  for (std::size_t r = 0; r < count; ++r) {
    const Eigen::Index i = moving_[r];
    double sum = h[i] + lambda[i];
    for (const Eigen::Index j : given_) sum -= M(j, i) * w[j];
    part_[eigen_index(r)] = sum;
    for (std::size_t c = 0; c <= r; ++c) factor_(eigen_index(r), eigen_index(c)) = M(moving_[c], i);
  }
  if (!decompose(count)) return false;
  substitute(count);
  for (std::size_t r = 0; r < count; ++r) w[moving_[r]] = part_[eigen_index(r)];
  for (const Eigen::Index i : given_) lambda[i] = M.col(i).dot(w) - h[i];
  return true;
}

/// w of a row from lambda.
double ComplementarityProblem::response(Eigen::Index row) const {
  double sum = h[row];
  for (Eigen::Index j = 0; j < lambda.size(); ++j) {
    if (lambda[j] != 0.0) sum += M(row, j) * lambda[j];
  }
  return sum;
}

/// factor_: the Cholesky factor of M of the rows given_, with diagonal pivoting, which reorders
/// given_. Returns the number of pivots; the rows behind them are redundant.
std::size_t ComplementarityProblem::decompose_responses() {
  // what remains of the response of a row with the others at rest, relative to the row alone
  constexpr double least = 1e-10;
  const std::size_t count = given_.size();
  for (std::size_t r = 0; r < count; ++r) part_[eigen_index(r)] = M(given_[r], given_[r]);
  for (std::size_t k = 0; k < count; ++k) {
    const Eigen::Index at = eigen_index(k);
    std::size_t best = count;
    double largest = least;
    for (std::size_t r = k; r < count; ++r) {
      const double alone = M(given_[r], given_[r]);
      if (part_[eigen_index(r)] > largest * alone) {
        largest = part_[eigen_index(r)] / alone;
        best = r;
      }
    }
    if (best == count) return k;
    std::swap(given_[k], given_[best]);
    std::swap(part_[at], part_[eigen_index(best)]);
    for (Eigen::Index j = 0; j < at; ++j) std::swap(factor_(at, j), factor_(eigen_index(best), j));
    const double root = std::sqrt(part_[at]);
    factor_(at, at) = root;
    for (std::size_t r = k + 1; r < count; ++r) {
      const Eigen::Index i = eigen_index(r);
      double sum = M(given_[r], given_[k]);
      for (Eigen::Index j = 0; j < at; ++j) sum -= factor_(i, j) * factor_(at, j);
      factor_(i, at) = sum / root;
      part_[i] -= factor_(i, at) * factor_(i, at);
    }
  }
  return count;
}

/// With R the rows whose w is given, without the redundant ones, and S the others:
///   M_RR lambda_R = w_R - h_R - M_RS lambda_S,     w_S = h_S + M_S lambda.
bool ComplementarityProblem::solve_by_responses(std::span<const char> given) {
  std::fill(redundant_.begin(), redundant_.end(), char{0});
  const std::size_t count = decompose_responses();
  for (std::size_t r = 0; r < count; ++r) lambda[given_[r]] = 0.0;
  for (std::size_t r = 0; r < count; ++r) {
    const Eigen::Index at = eigen_index(r);
    double sum = w[given_[r]] - response(given_[r]);
    for (Eigen::Index j = 0; j < at; ++j) sum -= factor_(at, j) * part_[j];
    part_[at] = sum / factor_(at, at);
  }
  for (std::size_t r = count; r-- > 0;) {
    const Eigen::Index at = eigen_index(r);
    for (Eigen::Index j = at + 1; j < eigen_index(count); ++j)
      part_[at] -= factor_(j, at) * part_[j];
    part_[at] /= factor_(at, at);
  }
  for (std::size_t r = 0; r < count; ++r) lambda[given_[r]] = part_[eigen_index(r)];
  if (!lambda.allFinite()) return false;
  for (std::size_t r = count; r < given_.size(); ++r)
    redundant_[static_cast<std::size_t>(given_[r])] = 1;
  const double tolerance = round_off * h.lpNorm<Eigen::Infinity>();
  for (std::size_t row = 0; row < given.size(); ++row) {
    const Eigen::Index i = eigen_index(row);
    if (given[row] != 0 && redundant_[row] == 0) continue;
    const double found = response(i);
    if (given[row] == 0 || !(std::abs(found - w[i]) <= tolerance)) w[i] = found;
  }
  return true;
}

/// The segment of a row if it is consistent, otherwise its neighbor in the direction of the
/// solution.
std::size_t ComplementarityProblem::next_segment(std::size_t row, double force_tolerance,
                                                 double motion_tolerance) const {
  const std::size_t segment = segments[row], k = segment / 2;
  const ForceLaw& law = laws[row];
  const Eigen::Index i = eigen_index(row);
  if (on_riser(row) && redundant(row)) {
    // w cannot be changed; a force without limit holds where another is not possible
    const ForceLaw::Riser& here = law.riser(k);
    if (w[i] > here.at + motion_tolerance && here.lower > -infinity) return segment + 1;
    if (w[i] < here.at - motion_tolerance && here.upper < infinity) return segment - 1;
    return segment;
  }
  if (on_riser(row)) {
    if (lambda[i] > law.riser(k).upper + force_tolerance) return segment - 1;
    if (lambda[i] < law.riser(k).lower - force_tolerance) return segment + 1;
    return segment;
  }
  if (k < law.count() && w[i] > law.riser(k).at + motion_tolerance) return segment + 1;
  if (k > 0 && w[i] < law.riser(k - 1).at - motion_tolerance) return segment - 1;
  return segment;
}

bool ComplementarityProblem::solve() {
  // Rows that are not consistent move one segment on: all of them at first; if that does not end
  // soon, one at a time, the last. This ends: with the rows behind it solved, w of a row increases
  // with its force, so that the row moves in one direction only (Murty 1974 for single risers).
  constexpr int changes_of_all = 10;
  constexpr double accepted = 1e-9;  // round-off at the end of the search: either segment does
  for (int change = 0;; ++change) {
    for (std::size_t row = 0; row < laws.size(); ++row) {
      on_riser_[row] = on_riser(row) ? 1 : 0;
      if (on_riser(row)) {
        w[eigen_index(row)] = riser(row).at;
        lambda[eigen_index(row)] = std::clamp(0.0, riser(row).lower, riser(row).upper);
      } else {
        lambda[eigen_index(row)] = laws[row].tread(segments[row] / 2);
      }
    }
    if (!solve_linear(on_riser_)) return false;
    const double forces = lambda.lpNorm<Eigen::Infinity>(), rest = h.lpNorm<Eigen::Infinity>(),
                 motion = w.lpNorm<Eigen::Infinity>();
    const bool has_loops = form_ == Form::responses;
    const double force_tolerance = 1e-13 * (has_loops ? forces : std::max(forces, rest));
    const double motion_tolerance = has_loops ? round_off * std::max(motion, rest) : 1e-13 * motion;
    const bool last = change > 200 + 10 * static_cast<int>(laws.size());
    bool done = true;
    for (std::size_t row = laws.size(); row-- > 0;) {
      const std::size_t next =
          last ? next_segment(row, accepted * std::max(forces, rest), accepted * motion)
               : next_segment(row, force_tolerance, motion_tolerance);
      if (next == segments[row]) continue;
      done = false;
      if (last) break;
      segments[row] = next;
      if (change >= changes_of_all) break;
    }
    if (done || last) {
      converged_ = done;
      return true;
    }
  }
}

}  // namespace dynamics
