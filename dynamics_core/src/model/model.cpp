// SPDX-License-Identifier: Apache-2.0
#include "dynamics_core/model.hpp"

#include <fmt/format.h>

#include <cmath>

#include "model/model_data.hpp"
#include "model/parsed_robot.hpp"
#include "spatial/decompositions.hpp"

namespace dynamics {
namespace {

/// Throws the first error; returns the warnings of reader and validation as notes.
std::vector<Note> validate_description(const RobotDescription& description) {
  ParsedRobot robot = to_parsed(description);
  validate(robot);
  if (const Finding* error = robot.first_error()) {
    throw to_error<ModelError>(*error, description.source);
  }
  if (!description.constraints.empty()) {
    throw ModelError("constraint '" + description.constraints.front().name + "'",
                     "closes a loop, but this function takes trees only: build a Mechanism "
                     "(dynamics_core/closed_loops.hpp), or remove the constraint to get the "
                     "dynamics of the open tree");
  }
  std::vector<Note> notes;
  const auto add = [&](const std::vector<Finding>& findings) {
    for (const Finding& finding : findings) {
      if (finding.severity != Finding::Severity::warning) continue;
      std::string message = finding.message;
      if (finding.line > 0) message += fmt::format(" ({}:{})", description.source, finding.line);
      notes.push_back({Note::Severity::warning, finding.name, std::move(message)});
    }
  };
  add(description.findings);
  add(robot.findings);
  return notes;
}

std::shared_ptr<const Model::Data> make_data(RobotDescription description,
                                             const ModelOptions& options,
                                             std::optional<Payload> payload) {
  if (!options.gravity.allFinite())
    throw ArgumentError("gravity is not finite: give three finite numbers");
  // at zero velocity friction divides by its square and cube, which must not over- or underflow
  if (!(options.friction_velocity >= 1e-100) || !(options.friction_velocity <= 1e100)) {
    throw ArgumentError(fmt::format("friction_velocity is {}: must be from 1e-100 to 1e100",
                                    options.friction_velocity));
  }
  auto data = std::make_shared<Model::Data>();
  data->description = std::move(description);
  data->options = options;
  data->payload = std::move(payload);
  data->notes = validate_description(data->description);
  build_tree(*data, order_joints(data->description));
  set_fingerprints(*data);
  return data;
}

void check_payload(const Model& model, const Payload& payload) {
  model.frame(payload.frame);
  if (!std::isfinite(payload.mass) || payload.mass < 0.0) {
    throw ArgumentError(
        fmt::format("payload mass is {} kg: must be finite and not negative", payload.mass));
  }
  if (!payload.center.allFinite()) throw ArgumentError("payload center of mass is not finite");
  if (!payload.inertia.allFinite()) throw ArgumentError("payload inertia is not finite");
  if (!payload.inertia.isApprox(payload.inertia.transpose(), 1e-9)) {
    throw ArgumentError("payload inertia is not symmetric");
  }
  const double smallest = principal_moments(payload.inertia)[0];
  if (smallest < -1e-9 * payload.inertia.cwiseAbs().maxCoeff()) {
    throw ArgumentError(
        fmt::format("payload inertia has the negative principal moment {} kg m^2", smallest));
  }
}

/// The first 20 names, separated by commas.
template <class Range>
std::string list_names(const Range& range) {
  std::string list;
  std::size_t count = 0;
  for (const auto& item : range) {
    if (count++ == 20) return list + ", ...";
    list += (count == 1 ? "" : ", ") + item.name;
  }
  return list;
}

}  // namespace

Model::Model(RobotDescription description, const ModelOptions& options)
    : data_(make_data(std::move(description), options, std::nullopt)) {}

const std::string& Model::name() const& { return data_->description.name; }
std::size_t Model::size() const { return data_->coordinates.size(); }
std::size_t Model::body_count() const { return data_->bodies.size(); }
std::span<const Coordinate> Model::coordinates() const& { return data_->coordinates; }
std::span<const Body> Model::bodies() const& { return data_->bodies; }
std::span<const Frame> Model::frames() const& { return data_->frames; }
std::span<const Note> Model::notes() const& { return data_->notes; }
const Tree& Model::tree() const& { return data_->tree; }
const std::string& Model::base_link() const& { return data_->base_link; }
std::size_t Model::end_effector() const { return data_->end_effector; }
double Model::total_mass() const { return data_->total_mass; }
const Eigen::Vector3d& Model::gravity() const& { return data_->options.gravity; }
double Model::friction_velocity() const { return data_->options.friction_velocity; }
const std::optional<Payload>& Model::payload() const& { return data_->payload; }
const RobotDescription& Model::description() const& { return data_->description; }
bool Model::coordinates_are_bodies() const { return data_->coordinates_are_bodies; }
bool Model::is_mimic(std::size_t body) const { return data_->is_mimic.at(body); }
bool Model::has_massless_mimic() const { return data_->has_massless_mimic; }
std::span<const std::size_t> Model::pitch_coordinates() const& { return data_->pitch_coordinates; }
const std::string& Model::singular_reason() const& { return data_->singular_reason; }

std::vector<std::string> Model::coordinate_names() const {
  std::vector<std::string> names;
  names.reserve(size());
  for (const Coordinate& coordinate : coordinates()) names.push_back(coordinate.name);
  return names;
}

std::optional<std::size_t> Model::find_coordinate(std::string_view name) const {
  const auto found = data_->coordinate_index.find(std::string(name));
  if (found == data_->coordinate_index.end()) return std::nullopt;
  return found->second;
}

std::optional<std::size_t> Model::find_frame(std::string_view name) const {
  const auto found = data_->frame_index.find(std::string(name));
  if (found == data_->frame_index.end()) return std::nullopt;
  return found->second;
}

std::size_t Model::coordinate(std::string_view name) const {
  if (const auto found = find_coordinate(name)) return *found;
  throw ArgumentError(fmt::format("'{}' has no joint '{}'; its joints are {}", this->name(), name,
                                  list_names(coordinates())));
}

std::size_t Model::frame(std::string_view name) const {
  if (const auto found = find_frame(name)) return *found;
  throw ArgumentError(fmt::format("'{}' has no frame '{}'; its frames are {}", this->name(), name,
                                  list_names(frames())));
}

Model Model::with_gravity(const Eigen::Vector3d& gravity) const {
  ModelOptions options = data_->options;
  options.gravity = gravity;
  return Model(make_data(data_->description, options, data_->payload));
}

Model Model::with_payload(const Payload& payload) const {
  check_payload(*this, payload);
  return Model(make_data(data_->description, data_->options, payload));
}

Model Model::without_payload() const {
  return Model(make_data(data_->description, data_->options, std::nullopt));
}

}  // namespace dynamics
