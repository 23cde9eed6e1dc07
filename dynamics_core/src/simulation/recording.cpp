// SPDX-License-Identifier: Apache-2.0
#include "dynamics_core/recording.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <system_error>

#include "base/base64.hpp"
#include "base/replaced_file.hpp"
#include "dynamics_core/error.hpp"
#include "model/model_data.hpp"
#include "simulation/run_json.hpp"

namespace dynamics {
namespace {

using nlohmann::json;

json finite_or_null(double x) { return std::isfinite(x) ? json(x) : json(nullptr); }

json vector3(const Eigen::Vector3d& v) { return {v.x(), v.y(), v.z()}; }

json origin(const Eigen::Vector3d& xyz, const Eigen::Vector3d& rpy) {
  return {{"xyz", vector3(xyz)}, {"rpy", vector3(rpy)}};
}

/// Little-endian bytes in base64.
template <class Real>
std::string base64_column(const Column& column) {
  static_assert(std::endian::native == std::endian::little);
  std::string bytes;
  bytes.reserve(column.size() * sizeof(Real));
  for (const double x : column) {
    const auto raw = std::bit_cast<std::array<char, sizeof(Real)>>(static_cast<Real>(x));
    bytes.append(raw.data(), raw.size());
  }
  return base64(bytes);
}

class ColumnWriter {
 public:
  explicit ColumnWriter(bool compact) : compact_(compact) {}
  json operator()(const Column& column) const {
    if (compact_) return {{"f32", base64_column<float>(column)}};
    return exact(column);
  }
  json wide(const Column& column) const {
    if (compact_) return {{"f64", base64_column<double>(column)}};
    return exact(column);
  }
  json all(const std::vector<Column>& columns) const {
    json list = json::array();
    for (const Column& column : columns) list.push_back((*this)(column));
    return list;
  }
  json all_wide(const std::vector<Column>& columns) const {
    json list = json::array();
    for (const Column& column : columns) list.push_back(wide(column));
    return list;
  }

 private:
  static json exact(const Column& column) {
    json list = json::array();
    for (const double x : column) list.push_back(finite_or_null(x));
    return list;
  }
  bool compact_;
};

json visual_json(const Visual& visual) {
  json geometry;
  if (const auto* box = std::get_if<Visual::Box>(&visual.geometry)) {
    geometry = {{"type", "box"}, {"size", vector3(box->size)}};
  } else if (const auto* cylinder = std::get_if<Visual::Cylinder>(&visual.geometry)) {
    geometry = {{"type", "cylinder"}, {"radius", cylinder->radius}, {"length", cylinder->length}};
  } else if (const auto* sphere = std::get_if<Visual::Sphere>(&visual.geometry)) {
    geometry = {{"type", "sphere"}, {"radius", sphere->radius}};
  } else if (const auto* capsule = std::get_if<Visual::Capsule>(&visual.geometry)) {
    geometry = {{"type", "capsule"}, {"radius", capsule->radius}, {"length", capsule->length}};
  }
  return {
      {"origin", origin(visual.xyz, visual.rpy)}, {"geometry", geometry}, {"color", visual.rgba}};
}

json link_json(const LinkDescription& link) {
  json result = {
      {"name", link.name}, {"mass", 0.0}, {"com", {0.0, 0.0, 0.0}}, {"flexible", nullptr}};
  if (link.inertial) {
    result["mass"] = link.inertial->mass;
    result["com"] = vector3(link.inertial->center);
  }
  if (link.flexible) {
    result["flexible"] = {{"length", link.flexible->length},
                          {"modes_y", link.flexible->modes_y},
                          {"modes_z", link.flexible->modes_z}};
  }
  json visuals = json::array();
  for (const Visual& visual : link.visuals) visuals.push_back(visual_json(visual));
  for (const MeshVisual& mesh : link.meshes) {
    visuals.push_back(
        {{"origin", origin(mesh.xyz, mesh.rpy)},
         {"geometry",
          {{"type", "mesh"}, {"filename", mesh.filename}, {"scale", vector3(mesh.scale)}}},
         {"color", mesh.rgba ? json(*mesh.rgba) : json(nullptr)}});
  }
  result["visuals"] = visuals;
  return result;
}

json shapes_json(const BeamShapes& beam, const ColumnWriter& column) {
  json modes = json::array(), shortening = json::array();
  for (const BeamShapes::Mode& mode : beam.modes) {
    modes.push_back({{"value", column.wide(mode.value)},
                     {"slope", column.wide(mode.slope)},
                     {"curvature", column.wide(mode.curvature)}});
  }
  for (const BeamShapes::Shortening& pair : beam.shortening)
    shortening.push_back({{"modes", {pair.j, pair.k}}, {"value", column.wide(pair.value)}});
  return {{"amplitude", beam.first},
          {"x", column.wide(beam.x)},
          {"modes", modes},
          {"shortening", shortening}};
}

/// `beams`: shape functions of the flexible links, if they deflect in this simulation.
json model_json(const Model& model, const std::vector<BeamShapes>& beams,
                const ColumnWriter& column) {
  json joints = json::array(), links = json::array(), units = json::array();
  for (const std::size_t index : order_joints(model.description())) {
    const JointDescription& joint = model.description().joints[index];
    json entry = {
        {"name", joint.name},
        {"type", to_string(joint.type)},
        {"parent", joint.parent},
        {"child", joint.child},
        {"origin", origin(joint.origin.translation, rpy_from_rotation(joint.origin.rotation))},
        {"axis", vector3(joint.axis)},
        {"limit", nullptr},
        {"coordinate", -1},
        {"multiplier", 1.0},
        {"offset", 0.0}};
    if (joint.limits) {
      entry["limit"] = {{"lower", finite_or_null(joint.limits->lower)},
                        {"upper", finite_or_null(joint.limits->upper)},
                        {"velocity", finite_or_null(joint.limits->velocity)},
                        {"effort", finite_or_null(joint.limits->effort)}};
    }
    for (const Body& body : model.bodies()) {
      if (body.joint != joint.name && body.joint != joint.name + "/x") continue;
      entry["coordinate"] = body.coordinate;
      entry["multiplier"] = body.multiplier;
      entry["offset"] = body.offset;
    }
    joints.push_back(std::move(entry));
  }
  for (const LinkDescription& link : model.description().links) {
    links.push_back(link_json(link));
    for (const BeamShapes& beam : beams) {
      if (beam.link == link.name) links.back()["flexible"]["shapes"] = shapes_json(beam, column);
    }
  }
  for (const Coordinate& coordinate : model.coordinates())
    units.push_back(coordinate.prismatic ? "m" : "rad");
  return {{"name", model.name()}, {"coordinates", model.coordinate_names()},
          {"units", units},       {"end_effector", model.frames()[model.end_effector()].name},
          {"joints", joints},     {"links", links}};
}

json events_json(const Recording& recording) {
  json events = json::array();
  for (const RunEvent& event : recording.events)
    events.push_back({{"t", event.t}, {"what", event.what}});
  return events;
}

json pushes_json(const Recording& recording) {
  json pushes = json::array();
  for (const RunPush& push : recording.pushes) {
    pushes.push_back({{"link", push.link},
                      {"start", push.start},
                      {"end", push.end},
                      {"force", vector3(push.force)},
                      {"point", vector3(push.point)}});
  }
  return pushes;
}

void add_columns(const std::string& prefix, const std::vector<std::string>& names,
                 const std::vector<Column>& columns, std::vector<NamedColumn>& list) {
  for (std::size_t i = 0; i < columns.size(); ++i) list.push_back({prefix + names[i], &columns[i]});
}

/// The first row of the CSV file. A name with commas or quotes is quoted (RFC 4180).
std::string csv_names(const std::vector<NamedColumn>& columns) {
  std::string row;
  for (const NamedColumn& column : columns) {
    row += row.empty() ? "" : ",";
    if (column.name.find_first_of(",\"\n\r") == std::string::npos) {
      row += column.name;
      continue;
    }
    row += '"';
    for (const char c : column.name) row.append(c == '"' ? 2 : 1, c);
    row += '"';
  }
  return row + '\n';
}

}  // namespace

json settings_json(const Recording& recording) {
  const RunSettings& settings = recording.settings;
  json result = {{"robot", settings.robot},
                 {"source", settings.source},
                 {"command", settings.command},
                 {"scenario", settings.scenario},
                 {"integrator", settings.integrator},
                 {"precision", settings.precision},
                 {"rtol", settings.rtol},
                 {"atol", settings.atol},
                 {"step", settings.step ? json(*settings.step) : json(nullptr)},
                 {"duration", settings.duration},
                 {"sample", settings.sample},
                 {"gravity", vector3(recording.model.gravity())},
                 {"q0", settings.q0},
                 {"qd0", settings.qd0},
                 {"friction", settings.friction},
                 {"limits", settings.limits}};
  if (settings.limits) result["restitution"] = settings.restitution;
  if (settings.scenario == "hold" || settings.scenario == "computed-torque")
    result["bandwidth"] = settings.bandwidth;
  if (!settings.algorithm.empty()) result["algorithm"] = settings.algorithm;
  result["controller"] = settings.controller;
  if (!settings.gains.empty()) result["gains"] = settings.gains;
  if (settings.control_rate > 0.0) {
    result["control_rate"] = settings.control_rate;
    result["control_delay"] = settings.control_delay;
  }
  if (!settings.reference.empty()) result["reference"] = settings.reference;
  if (!settings.inputs.empty()) result["inputs"] = settings.inputs;
  if (!settings.base_motion.empty()) result["base_motion"] = settings.base_motion;
  if (settings.payload) {
    result["payload"] = {{"frame", settings.payload->frame},
                         {"mass", settings.payload->mass},
                         {"center", vector3(settings.payload->center)}};
  }
  return result;
}

Recording::Recording(Model recorded)
    : model(std::move(recorded)), end_effector(3), end_effector_orientation(4), center_of_mass(3) {
  for (auto* columns : {&q, &qd, &qdd, &tau}) columns->resize(model.size());
}

std::vector<NamedColumn> named_columns(const Recording& recording) {
  const std::vector<std::string> joints = recording.model.coordinate_names();
  std::vector<NamedColumn> list = {{"t", &recording.t}};
  add_columns("q_", joints, recording.q, list);
  add_columns("qd_", joints, recording.qd, list);
  add_columns("tau_", joints, recording.tau, list);
  list.push_back({"kinetic", &recording.kinetic});
  list.push_back({"potential", &recording.potential});
  list.push_back({"strain", &recording.strain});
  add_columns("e_", recording.amplitude_names, recording.amplitudes, list);
  add_columns("tip_", recording.tip_names, recording.tips, list);
  add_columns("qdd_", joints, recording.qdd, list);
  list.push_back({"work", &recording.work});
  list.push_back({"power", &recording.power});
  if (!recording.power_balance.empty()) list.push_back({"power_balance", &recording.power_balance});
  add_columns("end_effector_", {"x", "y", "z"}, recording.end_effector, list);
  add_columns("end_effector_", {"qx", "qy", "qz", "qw"}, recording.end_effector_orientation, list);
  add_columns("desired_", joints, recording.desired, list);
  add_columns("desired_rate_", joints, recording.desired_rates, list);
  return list;
}

std::string to_csv(const Recording& recording) {
  const std::vector<NamedColumn> columns = named_columns(recording);
  fmt::memory_buffer out;
  const std::string names = csv_names(columns);
  out.append(names.data(), names.data() + names.size());
  for (std::size_t row = 0; row < recording.size(); ++row) {
    const char* separator = "";
    for (const NamedColumn& column : columns) {
      fmt::format_to(std::back_inserter(out), "{}{:.17g}", separator, (*column.values)[row]);
      separator = ",";
    }
    out.push_back('\n');
  }
  return fmt::to_string(out);
}

std::string to_json(const Recording& recording, bool compact) {
  const RunStatistics& statistics = recording.statistics;
  const ColumnWriter column(compact);
  json samples = {{"t", column.wide(recording.t)},
                  {"q", column.all_wide(recording.q)},
                  {"qd", column.all(recording.qd)},
                  {"qdd", column.all(recording.qdd)},
                  {"tau", column.all(recording.tau)},
                  {"kinetic", column(recording.kinetic)},
                  {"potential", column(recording.potential)},
                  {"strain", column(recording.strain)},
                  {"work", column(recording.work)},
                  {"power", column(recording.power)},
                  {"energy_drift", column.wide(recording.energy_drift)}};
  // the page draws a robot with a moving base in the base frame
  if (!compact || recording.settings.base_motion.empty()) {
    samples["end_effector"] = column.all(recording.end_effector);
    samples["com"] = column.all(recording.center_of_mass);
  }
  if (!recording.end_effector_orientation[0].empty())
    samples["end_effector_turn"] = column.all(recording.end_effector_orientation);
  if (!recording.power_balance.empty())
    samples["power_balance"] = column.wide(recording.power_balance);
  if (!recording.desired.empty()) {
    samples["desired"] = {{"q", column.all_wide(recording.desired)},
                          {"qd", column.all(recording.desired_rates)}};
  }
  if (!recording.amplitudes.empty()) {
    samples["amplitudes"] = {{"names", recording.amplitude_names},
                             {"values", column.all_wide(recording.amplitudes)}};
    if (!recording.amplitude_rates.empty())
      samples["amplitudes"]["rates"] = column.all(recording.amplitude_rates);
  }
  if (!recording.tips.empty()) {
    samples["tips"] = {{"names", recording.tip_names}, {"values", column.all(recording.tips)}};
  }
  const json run = {{"format", "dynamics-run"},
                    {"version", 2},
                    {"settings", settings_json(recording)},
                    {"statistics",
                     {{"steps", statistics.steps},
                      {"rejected", statistics.rejected},
                      {"evaluations", statistics.evaluations},
                      {"wall_seconds", statistics.wall_seconds},
                      {"energy_drift", finite_or_null(statistics.energy_drift)},
                      {"completed", statistics.completed},
                      {"ending", statistics.ending}}},
                    {"model", model_json(recording.model, recording.beams, column)},
                    {"events", events_json(recording)},
                    {"pushes", pushes_json(recording)},
                    {"samples", samples}};
  return run.dump(-1, ' ', false, json::error_handler_t::replace);
}

namespace {

/// Writes the text to a file opened with `flags`. Returns errno, or 0.
int write_all(const char* path, int flags, const std::string& text) {
  const int file = ::open(path, O_WRONLY | O_CLOEXEC | flags, 0666);
  if (file < 0) return errno;
  int error = 0;
  std::size_t done = 0;
  while (done < text.size() && error == 0) {
    const ssize_t count = ::write(file, text.data() + done, text.size() - done);
    if (count >= 0) {
      done += static_cast<std::size_t>(count);
    } else if (errno != EINTR) {
      error = errno;
    }
  }
  if (::close(file) != 0 && error == 0) error = errno;
  return error;
}

}  // namespace

void write_file(const std::string& path, const std::string& text) {
  ReplacedFile file(path);
  const bool replaces = file.path() != path;  // pipes and devices are written directly
  if (const int code = write_all(file.path().c_str(), replaces ? O_CREAT | O_TRUNC : 0, text))
    throw StateError(path, "cannot be written: " + std::generic_category().message(code));
  file.commit();
}

}  // namespace dynamics
