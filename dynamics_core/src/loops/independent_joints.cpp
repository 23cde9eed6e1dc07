// SPDX-License-Identifier: Apache-2.0
// Rank and redundant equations of the loops, and the choice of the independent joints.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/eigen_index.hpp"
#include "loops/assembly.hpp"
#include "spatial/decompositions.hpp"

namespace dynamics {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Singular values below this, relative to the largest, count as zero: descriptions round angles to
/// six digits.
constexpr double rank_tolerance = 1e-5;

std::size_t rank_of(const MatrixXd& G) {
  if (G.size() == 0) return 0;
  const VectorXd values = singular_values(G);
  std::size_t rank = 0;
  while (eigen_index(rank) < values.size() &&
         values[eigen_index(rank)] > rank_tolerance * std::max(values[0], 1e-12)) {
    ++rank;
  }
  return rank;
}

double smallest_singular_value(const MatrixXd& G) {
  if (G.cols() == 0) return 1.0;
  const VectorXd values = singular_values(G);
  return values[values.size() - 1];
}

/// The columns of a matrix, by QR decomposition with pivots: `count` that are well-conditioned.
std::vector<std::size_t> well_conditioned_columns(const MatrixXd& matrix, std::size_t count) {
  std::vector<std::size_t> columns = pivoted_qr(matrix, rank_tolerance).pivots;
  columns.resize(count);
  return columns;
}

MatrixXd columns_of(const MatrixXd& matrix, const std::vector<std::size_t>& columns) {
  MatrixXd part(matrix.rows(), eigen_index(columns.size()));
  for (std::size_t k = 0; k < columns.size(); ++k)
    part.col(eigen_index(k)) = matrix.col(eigen_index(columns[k]));
  return part;
}

class Choice {
 public:
  Choice(Mechanism::Data& data, LoopAssembly& assembly) : data_(data), assembly_(assembly) {}

  void run(LoopCluster& cluster) {
    const MatrixXd at_start = assembly_.jacobian(cluster);
    const std::size_t start_rank = rank_of(at_start);
    const std::vector<MatrixXd> nearby = sample_jacobians(cluster, at_start);
    cluster.rank = start_rank;
    for (const MatrixXd& each : nearby) cluster.rank = std::max(cluster.rank, rank_of(each));
    const std::string name = "constraint '" + constraint_name(cluster) + "'";
    if (start_rank < cluster.rank) {
      const double condition =
          1.0 /
          std::max(smallest_singular_value(well_conditioned_rows(at_start, cluster.rank)), 1e-300);
      data_.notes.push_back(
          {Note::Severity::warning, name,
           fmt::format("the loop is singular at the start (condition number {:.2g}): its motion "
                       "is not determined there; start from another position",
                       condition)});
    }
    if (cluster.mobility() == 0) {
      data_.notes.push_back({Note::Severity::warning, name,
                             "the loop is over-constrained: none of its joints can move"});
    }
    const MatrixXd& G = choose(cluster, nearby);
    const MatrixXd& generic = rank_of(nearby.back()) == cluster.rank ? nearby.back() : G;
    std::vector<std::size_t> all(cluster.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    cluster.order = sparse_pivot_order(generic, cluster.rank, all);
    cluster.dependent_order = sparse_pivot_order(generic, cluster.rank, cluster.dependent);
    const std::vector<bool> pattern = loop_pattern(data_, cluster);
    eliminate_pattern(cluster.order, pattern, cluster.rank);
    eliminate_pattern(cluster.dependent_order, pattern, cluster.rank);
    if (start_rank == cluster.rank &&
        smallest_singular_value(columns_of(at_start, cluster.dependent)) < 1e-9) {
      data_.notes.push_back(
          {Note::Severity::warning, name,
           "the start is a dead center of the independent joints: the motion of the others does "
           "not follow from theirs there"});
    }
    report(cluster, G);
  }

 private:
  const std::string& constraint_name(const LoopCluster& cluster) const {
    return data_.constraints[cluster.constraints.front()].name;
  }

  static MatrixXd well_conditioned_rows(const MatrixXd& G, std::size_t rank) {
    const MatrixXd t = G.transpose();
    return columns_of(t, well_conditioned_columns(t, rank));
  }

  /// G at the start and in positions near it.
  std::vector<MatrixXd> sample_jacobians(const LoopCluster& cluster, const MatrixXd& at_start) {
    std::vector<MatrixXd> samples = {at_start};
    const std::vector<double> start = assembly_.positions();
    for (std::size_t k = 1; k <= 6; ++k) {
      for (std::size_t b = 0; b < cluster.size(); ++b) {
        const double way = std::sin(static_cast<double>(7 * k + 3 * b + k * b));
        assembly_.positions()[cluster.bodies[b]] += 0.2 * way * cluster.scale[b];
      }
      if (assembly_.close(cluster, 100)) samples.push_back(assembly_.jacobian(cluster));
      assembly_.positions() = start;
    }
    return samples;
  }

  const JointDescription& description_of(std::size_t body) const {
    const std::string& joint = data_.tree.coordinates()[data_.tree.bodies()[body].coordinate].joint;
    const auto& joints = data_.description.joints;
    return *std::find_if(joints.begin(), joints.end(),
                         [&](const JointDescription& each) { return each.name == joint; });
  }

  /// The joints of a cluster that shall be independent: those with actuated="true", else those of
  /// <ros2_control>.
  std::vector<bool> preferred_joints(const LoopCluster& cluster) const {
    std::vector<bool> actuated(cluster.size(), false), commanded(cluster.size(), false);
    for (std::size_t b = 0; b < cluster.size(); ++b) {
      if (data_.tree.is_mimic(cluster.bodies[b])) continue;
      const JointDescription& joint = description_of(cluster.bodies[b]);
      actuated[b] = joint.actuated.value_or(false);
      commanded[b] = joint.in_ros2_control && joint.actuated.value_or(true);
    }
    const bool any = std::find(actuated.begin(), actuated.end(), true) != actuated.end();
    return any ? actuated : commanded;
  }

  /// Chooses from the first sample of full rank; preferred joints from the sample where they are
  /// farthest from a dead center. Returns the sample.
  const MatrixXd& choose(LoopCluster& cluster, const std::vector<MatrixXd>& samples) {
    const std::vector<bool> preferred = preferred_joints(cluster);
    const bool any = std::find(preferred.begin(), preferred.end(), true) != preferred.end();
    std::size_t best = samples.size();
    double largest = -1.0;
    for (std::size_t k = 0; k < samples.size(); ++k) {
      if (rank_of(samples[k]) < cluster.rank) continue;
      std::vector<std::size_t> others;
      for (std::size_t b = 0; b < cluster.size(); ++b) {
        if (!preferred[b]) others.push_back(b);
      }
      const MatrixXd part = columns_of(samples[k], others);
      const double value =
          !any || others.size() < cluster.rank
              ? 0.0
              : singular_values(part)[eigen_index(std::max<std::size_t>(cluster.rank, 1) - 1)];
      if (value <= largest) continue;
      largest = value;
      best = k;
    }
    const MatrixXd& G = samples[best];
    cluster.dependent =
        any ? dependent_of_preferred(cluster, G, preferred) : best_choice(cluster, G);
    std::sort(cluster.dependent.begin(), cluster.dependent.end());
    for (std::size_t b = 0; b < cluster.size(); ++b) {
      if (std::binary_search(cluster.dependent.begin(), cluster.dependent.end(), b)) continue;
      cluster.independent.push_back(b);
      const std::size_t joint = data_.tree.bodies()[cluster.bodies[b]].coordinate;
      data_.independent.push_back(joint);
      if (!any) data_.actuated.push_back(joint);
    }
    for (std::size_t b = 0; any && b < cluster.size(); ++b) {
      if (preferred[b]) data_.actuated.push_back(data_.tree.bodies()[cluster.bodies[b]].coordinate);
    }
    return G;
  }

  /// Dependent joints among those that are not preferred, as far as these suffice.
  std::vector<std::size_t> dependent_of_preferred(const LoopCluster& cluster, const MatrixXd& G,
                                                  const std::vector<bool>& preferred) const {
    std::vector<std::size_t> others, chosen;
    for (std::size_t b = 0; b < cluster.size(); ++b) {
      if (!preferred[b]) others.push_back(b);
    }
    MatrixXd rest = G;
    const auto eliminate = [&](std::size_t column) {
      const VectorXd direction = rest.col(eigen_index(column)).normalized();
      rest -= direction * (direction.transpose() * rest);
      chosen.push_back(column);
    };
    const double scale = G.colwise().norm().maxCoeff();
    const auto take_largest = [&](const std::vector<std::size_t>& columns, double least) {
      std::size_t best = columns.size();
      double largest = least * scale;
      for (std::size_t k = 0; k < columns.size(); ++k) {
        if (std::find(chosen.begin(), chosen.end(), columns[k]) != chosen.end()) continue;
        const double norm = rest.col(eigen_index(columns[k])).norm();
        if (norm > largest) {
          largest = norm;
          best = k;
        }
      }
      if (best == columns.size()) return false;
      eliminate(columns[best]);
      return true;
    };
    std::vector<std::size_t> all(cluster.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    while (chosen.size() < cluster.rank && take_largest(others, 1e-4)) {
    }
    while (chosen.size() < cluster.rank && take_largest(all, 0.0)) {
    }
    return chosen;
  }

  /// The choice whose dependent columns have the largest smallest singular value; among nearly
  /// equal ones the first joints are independent. Mimic joints are dependent.
  std::vector<std::size_t> best_choice(const LoopCluster& cluster, const MatrixXd& G) const {
    const std::size_t r = cluster.size(), d = cluster.mobility();
    std::vector<std::size_t> leaders;
    for (std::size_t b = 0; b < r; ++b) {
      if (!data_.tree.is_mimic(cluster.bodies[b])) leaders.push_back(b);
    }
    double combinations = 1.0;
    for (std::size_t k = 0; k < d; ++k)
      combinations *= static_cast<double>(leaders.size() - k) / static_cast<double>(k + 1);
    if (leaders.size() < d || combinations > 2000.0)
      return well_conditioned_columns(G, cluster.rank);
    std::vector<bool> chosen(leaders.size(), false);
    std::fill(chosen.begin(), chosen.begin() + static_cast<long>(d), true);
    std::vector<std::size_t> best;
    double largest = 0.0;
    do {
      std::vector<bool> independent(r, false);
      for (std::size_t k = 0; k < leaders.size(); ++k) independent[leaders[k]] = chosen[k];
      std::vector<std::size_t> dependent;
      for (std::size_t b = 0; b < r; ++b) {
        if (!independent[b]) dependent.push_back(b);
      }
      const double value = smallest_singular_value(columns_of(G, dependent));
      if (value > 1.2 * largest) {
        largest = value;
        best = std::move(dependent);
      }
    } while (std::prev_permutation(chosen.begin(), chosen.end()));
    return best.empty() ? well_conditioned_columns(G, cluster.rank) : best;
  }

  void report(const LoopCluster& cluster, const MatrixXd& G) {
    LoopGroup group;
    group.equations = cluster.rows;
    group.rank = cluster.rank;
    std::vector<std::string> names;
    for (const std::size_t k : cluster.constraints) {
      const LoopConstraint& constraint = data_.constraints[k];
      if (!constraint.coupling) group.constraints.push_back(constraint.name);
      for (std::size_t r = 0; r < constraint.rows.size(); ++r)
        names.push_back(equation_name(constraint, r));
    }
    const std::vector<std::size_t> kept = well_conditioned_columns(G.transpose(), cluster.rank);
    for (std::size_t row = 0; row < names.size(); ++row) {
      if (std::find(kept.begin(), kept.end(), row) == kept.end())
        group.redundant.push_back(names[row]);
    }
    for (const std::size_t body : cluster.bodies) {
      const std::size_t joint = data_.tree.bodies()[body].coordinate;
      if (std::find(group.joints.begin(), group.joints.end(), joint) == group.joints.end())
        group.joints.push_back(joint);
    }
    if (!group.redundant.empty()) {
      std::string list;
      for (const std::string& each : group.redundant) list += (list.empty() ? "" : ", ") + each;
      data_.notes.push_back(
          {Note::Severity::information, "constraint '" + constraint_name(cluster) + "'",
           fmt::format("{} of its {} equations are redundant ({}): the wrench at the cut is "
                       "determined only up to them",
                       group.redundant.size(), group.equations, list)});
    }
    if (!group.constraints.empty()) data_.groups.push_back(std::move(group));
  }

  Mechanism::Data& data_;
  LoopAssembly& assembly_;
};

}  // namespace

void choose_independent_joints(Mechanism::Data& data) {
  LoopAssembly assembly(data);
  body_positions(data.tree, data.start, assembly.positions());
  Choice choice(data, assembly);
  for (LoopCluster& cluster : data.clusters) choice.run(cluster);
  for (std::size_t c = 0; c < data.tree.size(); ++c) {
    if (data.cluster_of[data.leading[c]] >= 0) continue;
    data.independent.push_back(c);
    data.actuated.push_back(c);
  }
  std::sort(data.independent.begin(), data.independent.end());
  std::sort(data.actuated.begin(), data.actuated.end());
  if (data.independent.empty() && !data.constraints.empty()) {
    throw ModelError("constraint '" + data.constraints.front().name + "'",
                     "the mechanism is over-constrained: no joint can move; remove a constraint or "
                     "choose a type that leaves more free");
  }
}

}  // namespace dynamics
