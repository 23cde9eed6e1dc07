// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "loops/mechanism_data.hpp"
#include "model/parsed_robot.hpp"
#include "spatial/decompositions.hpp"

namespace dynamics {
namespace {

using Kind = LoopRow::Kind;

std::vector<LoopRow> rows_of(ConstraintType type) {
  const LoopRow x{Kind::position, 0, 0}, y{Kind::position, 1, 0}, z{Kind::position, 2, 0};
  const LoopRow tilt1{Kind::direction, 0, 2}, tilt2{Kind::direction, 1, 2};
  const LoopRow r1{Kind::direction, 0, 1}, r2{Kind::direction, 1, 2}, r3{Kind::direction, 2, 0};
  switch (type) {
    case ConstraintType::fixed: return {x, y, z, r1, r2, r3};
    case ConstraintType::revolute: return {x, y, z, tilt1, tilt2};
    case ConstraintType::prismatic: return {x, y, r1, r2, r3};
    case ConstraintType::spherical: return {x, y, z};
    case ConstraintType::universal: return {x, y, z, {Kind::direction, 2, 2}};
    case ConstraintType::planar: return {z, tilt1, tilt2};
    case ConstraintType::distance: return {{Kind::distance, 0, 0}};
  }
  return {};
}

LoopConstraint resolve(const Model& tree, const ConstraintDescription& given) {
  LoopConstraint constraint;
  constraint.name = given.name;
  constraint.type = given.type;
  constraint.frame_a = tree.frame(given.parent);
  constraint.frame_b = tree.frame(given.child);
  const Frame &a = tree.frames()[constraint.frame_a], &b = tree.frames()[constraint.frame_b];
  const Pose pose_a = a.pose * given.parent_origin, pose_b = b.pose * given.child_origin;
  constraint.body_a = a.body;
  constraint.body_b = b.body;
  constraint.point_a = pose_a.translation;
  constraint.point_b = pose_b.translation;
  const bool axis = given.type != ConstraintType::fixed &&
                    given.type != ConstraintType::spherical &&
                    given.type != ConstraintType::distance;
  const Eigen::Matrix3d identity = Eigen::Matrix3d::Identity();
  const Eigen::Matrix3d parent = axis ? rotation_from_z(given.parent_axis.normalized()) : identity;
  // a prismatic constraint keeps the orientation: the same axes in both frames
  const Eigen::Matrix3d child = given.type == ConstraintType::prismatic ? parent
                                : axis ? rotation_from_z(given.child_axis.normalized())
                                       : identity;
  constraint.axes_a = pose_a.rotation * parent;
  constraint.axes_b = pose_b.rotation * child;
  constraint.distance = given.distance;
  constraint.rows = rows_of(given.type);
  return constraint;
}

LoopConstraint coupling_of(const Mechanism::Data& data, std::size_t follower) {
  const Body& body = data.tree.bodies()[follower];
  LoopConstraint coupling;
  coupling.name = body.joint;
  coupling.coupling = true;
  coupling.body_a = static_cast<int>(data.leading[body.coordinate]);
  coupling.body_b = static_cast<int>(follower);
  coupling.multiplier = body.multiplier;
  coupling.offset = body.offset;
  coupling.rows = {{Kind::coupling, 0, 0}};
  return coupling;
}

/// The bodies from `body` up to the base, itself first.
std::vector<int> path_to_base(const Tree& tree, int body) {
  std::vector<int> path;
  for (; body >= 0; body = tree[static_cast<std::size_t>(body)].parent) path.push_back(body);
  return path;
}

/// The joints that a constraint concerns: sign by body.
std::vector<std::pair<int, int>> joints_of(const Tree& tree, const LoopConstraint& constraint) {
  std::vector<int> a = path_to_base(tree, constraint.body_a);
  std::vector<int> b = path_to_base(tree, constraint.body_b);
  // a coupling includes its two joints, also where one carries the other
  const auto keeps = [&](int body) {
    return constraint.coupling && (body == constraint.body_a || body == constraint.body_b);
  };
  while (!a.empty() && !b.empty() && a.back() == b.back() && !keeps(a.back())) {
    a.pop_back();
    b.pop_back();
  }
  std::vector<std::pair<int, int>> joints;
  joints.reserve(a.size() + b.size());
  for (const int body : b) joints.emplace_back(body, 1);
  for (const int body : a) {
    if (std::find(b.begin(), b.end(), body) == b.end()) joints.emplace_back(body, -1);
  }
  return joints;
}

/// Sets that grow together.
class Sets {
 public:
  explicit Sets(std::size_t count) : parent_(count) {
    std::iota(parent_.begin(), parent_.end(), std::size_t{0});
  }
  std::size_t find(std::size_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void unite(std::size_t i, std::size_t j) { parent_[find(i)] = find(j); }

 private:
  std::vector<std::size_t> parent_;
};

/// Upper bound of the distance from a body's origin to the base, over all positions of revolute
/// joints; at zero of prismatic ones.
double reach(const Tree& tree, int body) {
  double sum = 0.0;
  for (const int b : path_to_base(tree, body)) {
    const double* p = tree[static_cast<std::size_t>(b)].position;
    sum += Eigen::Vector3d(p[0], p[1], p[2]).norm();
  }
  return sum;
}

double loop_length(const Mechanism::Data& data) {
  const Tree& tree = data.tree.tree();
  double length = 0.0;
  for (const LoopConstraint& constraint : data.constraints) {
    if (constraint.coupling) continue;
    std::vector<int> a = path_to_base(tree, constraint.body_a);
    std::vector<int> b = path_to_base(tree, constraint.body_b);
    while (!a.empty() && !b.empty() && a.back() == b.back()) {
      a.pop_back();
      b.pop_back();
    }
    const auto along = [&](const std::vector<int>& path) {
      return path.empty() ? 0.0
                          : reach(tree, path.front()) -
                                reach(tree, tree[static_cast<std::size_t>(path.back())].parent);
    };
    length = std::max(length, along(a) + along(b) + constraint.point_a.norm() +
                                  constraint.point_b.norm() + constraint.distance);
  }
  return length > 0.0 ? length / 2.0 : 1.0;
}

void add_cluster(Mechanism::Data& data, const std::vector<std::size_t>& constraints) {
  const Tree& tree = data.tree.tree();
  LoopCluster cluster;
  cluster.constraints = constraints;
  for (const std::size_t k : constraints) {
    cluster.rows += data.constraints[k].rows.size();
    for (const auto& [body, sign] : joints_of(tree, data.constraints[k]))
      cluster.bodies.push_back(static_cast<std::size_t>(body));
  }
  std::sort(cluster.bodies.begin(), cluster.bodies.end());
  cluster.bodies.erase(std::unique(cluster.bodies.begin(), cluster.bodies.end()),
                       cluster.bodies.end());
  if (cluster.bodies.empty()) return;  // both links are fixed to each other: checked by assemble()
  cluster.parent = tree[cluster.bodies.front()].parent;
  const auto local = [&](int body) {
    const auto found = std::lower_bound(cluster.bodies.begin(), cluster.bodies.end(),
                                        static_cast<std::size_t>(body));
    return body >= 0 && found != cluster.bodies.end() && *found == static_cast<std::size_t>(body)
               ? static_cast<int>(found - cluster.bodies.begin())
               : -1;
  };
  const auto index = static_cast<int>(data.clusters.size());
  for (const std::size_t body : cluster.bodies) {
    cluster.local_parent.push_back(local(tree[body].parent));
    cluster.scale.push_back(tree[body].prismatic ? data.length : 1.0);
    data.cluster_of[body] = index;
  }
  for (const std::size_t k : constraints) {
    std::vector<LoopColumn>& moved = cluster.moved.emplace_back();
    for (const auto& [body, sign] : joints_of(tree, data.constraints[k]))
      moved.push_back({static_cast<std::size_t>(local(body)), sign});
  }
  data.clusters.push_back(std::move(cluster));
}

std::shared_ptr<const Mechanism::Data> make_data(RobotDescription description,
                                                 const ModelOptions& options) {
  RobotDescription open = description;
  open.constraints.clear();
  // the names of links and joints must be valid before those of constraints can be
  ParsedRobot parsed = to_parsed(description);
  validate(parsed);
  if (const Finding* error = parsed.first_error())
    throw to_error<ModelError>(*error, description.source);
  for (const LinkDescription& link : description.links) {
    if (!link.flexible || link.flexible->modes_y + link.flexible->modes_z == 0) continue;
    throw ModelError("link '" + link.name + "'",
                     "is flexible: flexible links are not supported in mechanisms with closed "
                     "loops; remove <flexible> to treat it as rigid");
  }
  auto data = std::make_shared<Mechanism::Data>(Model(std::move(open), options));
  data->description = std::move(description);
  build_clusters(*data);
  assemble(*data);
  choose_independent_joints(*data);
  return data;
}

}  // namespace

void build_clusters(Mechanism::Data& data) {
  const Model& tree = data.tree;
  data.leading.resize(tree.size());
  for (std::size_t i = 0; i < tree.body_count(); ++i) {
    if (!tree.is_mimic(i)) data.leading[tree.bodies()[i].coordinate] = i;
  }
  for (const ConstraintDescription& given : data.description.constraints)
    data.constraints.push_back(resolve(tree, given));
  for (std::size_t i = 0; i < tree.body_count(); ++i) {
    if (tree.is_mimic(i)) data.constraints.push_back(coupling_of(data, i));
  }
  data.length = loop_length(data);
  data.cluster_of.assign(tree.body_count(), -1);

  // constraints that share a joint are one cluster
  Sets sets(data.constraints.size());
  std::vector<int> user(tree.body_count(), -1);
  for (std::size_t k = 0; k < data.constraints.size(); ++k) {
    for (const auto& [body, sign] : joints_of(tree.tree(), data.constraints[k])) {
      int& first = user[static_cast<std::size_t>(body)];
      if (first < 0) {
        first = static_cast<int>(k);
      } else {
        sets.unite(k, static_cast<std::size_t>(first));
      }
    }
  }
  std::vector<std::vector<std::size_t>> members(data.constraints.size());
  for (std::size_t k = 0; k < data.constraints.size(); ++k) members[sets.find(k)].push_back(k);
  // in the order of their first constraint
  std::vector<bool> done(data.constraints.size(), false);
  for (std::size_t k = 0; k < data.constraints.size(); ++k) {
    const std::size_t set = sets.find(k);
    if (done[set]) continue;
    done[set] = true;
    add_cluster(data, members[set]);
  }
  for (std::size_t i = 0; i < tree.body_count(); ++i) {
    const int parent = tree.tree()[i].parent;
    const int above = parent < 0 ? -1 : data.cluster_of[static_cast<std::size_t>(parent)];
    if (above >= 0 && above != data.cluster_of[i])
      data.clusters[static_cast<std::size_t>(above)].carries = true;
  }
}

std::string equation_name(const LoopConstraint& constraint, std::size_t row) {
  if (constraint.coupling) return fmt::format("{}: mimic", constraint.name);
  std::size_t positions = 0, directions = 0;
  for (std::size_t r = 0; r <= row; ++r) {
    if (constraint.rows[r].kind == Kind::position) ++positions;
    if (constraint.rows[r].kind == Kind::direction) ++directions;
  }
  switch (constraint.rows[row].kind) {
    case Kind::position: return fmt::format("{}: position {}", constraint.name, positions);
    case Kind::direction: return fmt::format("{}: rotation {}", constraint.name, directions);
    default: return fmt::format("{}: distance", constraint.name);
  }
}

Mechanism::Mechanism(RobotDescription description, const ModelOptions& options)
    : data_(make_data(std::move(description), options)) {}

const Model& Mechanism::tree() const& { return data_->tree; }
const RobotDescription& Mechanism::description() const& { return data_->description; }
std::span<const std::size_t> Mechanism::independent() const& { return data_->independent; }
std::span<const std::size_t> Mechanism::actuated() const& { return data_->actuated; }
std::span<const LoopGroup> Mechanism::groups() const& { return data_->groups; }
std::span<const double> Mechanism::start() const& { return data_->start; }
std::span<const Note> Mechanism::notes() const& { return data_->notes; }
std::size_t Mechanism::size() const { return data_->independent.size(); }
double Mechanism::length() const { return data_->length; }

namespace {

std::shared_ptr<const Mechanism::Data> with_tree(const Mechanism::Data& data, Model tree) {
  auto changed = std::make_shared<Mechanism::Data>(data);
  changed->tree = std::move(tree);
  return changed;
}

}  // namespace

Mechanism Mechanism::with_gravity(const Eigen::Vector3d& gravity) const {
  return Mechanism(with_tree(*data_, data_->tree.with_gravity(gravity)));
}
Mechanism Mechanism::with_payload(const Payload& payload) const {
  return Mechanism(with_tree(*data_, data_->tree.with_payload(payload)));
}
Mechanism Mechanism::without_payload() const {
  return Mechanism(with_tree(*data_, data_->tree.without_payload()));
}

}  // namespace dynamics
