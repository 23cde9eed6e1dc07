// SPDX-License-Identifier: Apache-2.0
#include "dynamics_core/study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>

#include "dynamics_core/version.hpp"
#include "dynamics_core/workspace.hpp"
#include "study/study_data.hpp"

namespace dynamics {
namespace {

std::size_t drawn_dimensions(const study::Plan& plan) {
  return static_cast<std::size_t>(
      std::count_if(plan.variations.begin(), plan.variations.end(),
                    [](const auto& variation) { return !variation.distribution.is_list(); }));
}

/// The samples without variation: their columns are those of all cases.
study::Results results_of(const study::Plan& plan, const study::Nominal& nominal) {
  study::CaseSamples samples;
  try {
    const study::CaseSetup setup = study::apply_variations(plan, nominal, {});
    samples = study::evaluate(plan, nominal, setup, true);
  } catch (const Error& error) {
    throw ArgumentError(plan.file + ": run", error.what());
  }
  return {plan, nominal, samples};
}

/// FNV-1a of 64 bits.
class TextHash {
 public:
  void add(std::string_view text) {
    for (const char c : text) add_byte(static_cast<unsigned char>(c));
    add_byte(0);
  }
  void add(double number) {
    const auto bits = std::bit_cast<std::uint64_t>(number + 0.0);
    for (int shift = 0; shift < 64; shift += 8)
      add_byte(static_cast<unsigned char>(bits >> static_cast<unsigned>(shift)));
  }
  std::uint64_t value() const { return value_; }

 private:
  void add_byte(unsigned char byte) { value_ = (value_ ^ byte) * 0x100000001b3U; }
  std::uint64_t value_ = 0xcbf29ce484222325U;
};

/// All numbers of the robot that enter the dynamics.
void add_robot(TextHash& hash, const StudyRobot& robot) {
  const auto add_all = [&](const auto& numbers) {
    for (const double number : numbers) hash.add(number);
  };
  const auto add_pose = [&](const Pose& pose) {
    add_all(pose.rotation.reshaped());
    add_all(pose.translation);
  };
  add_all(robot.gravity);
  add_all(robot.q0);
  add_all(robot.qd0);
  for (const LinkDescription& link : robot.description.links) {
    hash.add(link.name);
    if (link.inertial) {
      hash.add(link.inertial->mass);
      add_all(link.inertial->center);
      add_all(link.inertial->inertia.reshaped());
    }
    if (!link.flexible) continue;
    const BeamDescription& beam = *link.flexible;
    hash.add(beam.basis);
    for (const double number : {beam.length, beam.mass_per_length, beam.rigidity_y, beam.rigidity_z,
                                double(beam.modes_y), double(beam.modes_z), beam.damping,
                                beam.tip_mass, beam.hub_mass, double(beam.stiffening)})
      hash.add(number);
    add_all(beam.hub_center);
    add_all(beam.hub_inertia);
  }
  for (const JointDescription& joint : robot.description.joints) {
    for (const std::string& name :
         {joint.name, std::string(to_string(joint.type)), joint.parent, joint.child})
      hash.add(name);
    add_pose(joint.origin);
    add_all(joint.axis);
    hash.add(joint.damping);
    hash.add(joint.friction);
    hash.add(joint.rotor_inertia);
    if (joint.limits) {
      for (const double number :
           {joint.limits->lower, joint.limits->upper, joint.limits->velocity, joint.limits->effort})
        hash.add(number);
    }
    if (!joint.mimic) continue;
    hash.add(joint.mimic->joint);
    hash.add(joint.mimic->multiplier);
    hash.add(joint.mimic->offset);
  }
  for (const ConstraintDescription& constraint : robot.description.constraints) {
    for (const std::string& name : {constraint.name, std::string(to_string(constraint.type)),
                                    constraint.parent, constraint.child})
      hash.add(name);
    add_pose(constraint.parent_origin);
    add_pose(constraint.child_origin);
    add_all(constraint.parent_axis);
    add_all(constraint.child_axis);
    hash.add(constraint.distance);
  }
  if (!robot.forced) return;
  add_all(robot.forced->q1);
  add_all(robot.forced->k);
  add_all(robot.forced->T);
  hash.add(robot.forced->period);
}

}  // namespace

Study::Data::Data(std::string_view description, const std::string& file, study::Inputs& inputs)
    : Data(description, study::read_plan(description, file, inputs), inputs) {}

Study::Data::Data(std::string_view description, study::PlanAndRobot read, study::Inputs& inputs)
    : text(description),
      plan(std::move(read.plan)),
      nominal(std::move(read.nominal)),
      points(plan.sampling, plan.seed, plan.cases, drawn_dimensions(plan)),
      results(results_of(plan, nominal)) {
  for (const auto& variation : plan.variations) parameters.push_back(variation.name);
  for (const std::string& name : results.names()) {
    if (std::find(parameters.begin(), parameters.end(), name) != parameters.end())
      throw ArgumentError(plan.file, "vary: '" + name + "' is also the name of a result");
  }
  if (!plan.worst.empty()) {
    const auto& names = results.names();
    const auto found = std::find(names.begin(), names.end(), plan.worst);
    if (found == names.end())
      throw ArgumentError(plan.file, fmt::format("worst: '{}' is not kept; results are {}",
                                                 plan.worst, fmt::join(names, ", ")));
    worst = static_cast<std::size_t>(found - names.begin());
  }
  TextHash hash;
  hash.add(DYNAMICS_CORE_VERSION);
  hash.add(text);
  for (const std::string& each : inputs.texts()) hash.add(each);
  add_robot(hash, nominal.robot);
  fingerprint = hash.value();
}

std::vector<double> Study::Data::draw(std::uint64_t number) const {
  if (number >= plan.cases)
    throw ArgumentError("case", fmt::format("{} does not exist: the study has the cases 0 to {}",
                                            number, plan.cases - 1));
  std::vector<double> point(drawn_dimensions(plan));
  points.at(number, point);
  std::vector<double> values(plan.variations.size());
  std::uint64_t combination = number / plan.samples;
  std::size_t dimension = 0;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const study::Distribution& distribution = plan.variations[k].distribution;
    if (!distribution.is_list()) values[k] = distribution.quantile(point[dimension++]);
  }
  for (std::size_t k = values.size(); k-- > 0;) {  // the last list varies fastest
    const study::Distribution& distribution = plan.variations[k].distribution;
    if (!distribution.is_list()) continue;
    values[k] = distribution.values[combination % distribution.values.size()];
    combination /= distribution.values.size();
  }
  return values;
}

void Study::Data::evaluate(std::uint64_t number, StudyRow& row,
                           std::optional<Recording>* samples) const {
  const study::CaseSetup setup = study::apply_variations(plan, nominal, row.values);
  study::CaseSamples all = study::evaluate(plan, nominal, setup);
  results.append(all, row.values);
  if (samples == nullptr || !all.recording) return;
  all.recording->settings.robot = plan.robot_name;
  all.recording->settings.reference = plan.task.reference_name;
  all.recording->settings.command = fmt::format("case {} of {}", number, plan.file);
  *samples = std::move(all.recording);
}

Study::Study(std::string_view text, std::string_view file_name, const StudySources& sources) {
  study::Inputs inputs(sources);
  data_ = std::make_shared<const Data>(text, std::string(file_name), inputs);
}

std::uint64_t Study::cases() const { return data_->plan.cases; }
const std::vector<std::string>& Study::parameters() const { return data_->parameters; }
const std::vector<std::string>& Study::results() const { return data_->results.names(); }
const std::string& Study::text() const { return data_->text; }
const std::string& Study::robot() const { return data_->plan.robot_name; }
std::uint64_t Study::fingerprint() const { return data_->fingerprint; }
std::string Study::instruction_set() { return std::string(name(dynamics::instruction_set())); }
std::vector<double> Study::draw(std::uint64_t number) const { return data_->draw(number); }
const std::string& Study::runs() const { return data_->plan.runs; }
std::size_t Study::worst_result() const { return data_->worst; }
bool Study::largest_is_worst() const { return data_->plan.largest_is_worst; }
bool Study::has_samples() const {
  return data_->plan.task.kind == study::RunKind::simulate ||
         data_->plan.task.kind == study::RunKind::inverse;
}

StudyRow Study::run(std::uint64_t number, std::optional<Recording>& samples) const {
  StudyRow row{.number = number, .values = data_->draw(number)};
  try {
    data_->evaluate(number, row, has_samples() ? &samples : nullptr);
  } catch (const Error& error) {
    row.error = error.what();
  }
  if (!row.error.empty()) row.values.resize(parameters().size());
  row.values.resize(parameters().size() + results().size(),
                    std::numeric_limits<double>::quiet_NaN());
  return row;
}

StudyRow Study::run(std::uint64_t number) const {
  std::optional<Recording> samples;
  return run(number, samples);
}

Recording Study::record(std::uint64_t number) const {
  if (!has_samples())
    throw ArgumentError(data_->plan.file,
                        "the cases have one state each, no samples: they cannot be recorded");
  StudyRow row{.number = number, .values = data_->draw(number)};
  std::optional<Recording> samples;
  data_->evaluate(number, row, &samples);
  return std::move(*samples);
}

StudyRange study_part(std::uint64_t cases, std::uint64_t k, std::uint64_t n) {
  if (k < 1 || k > n)
    throw ArgumentError("part", fmt::format("{}/{} does not exist: parts are K/N with K from 1 "
                                            "to N",
                                            k, n));
  const std::uint64_t size = cases / n, rest = cases % n;
  const auto start = [&](std::uint64_t part) { return part * size + std::min(part, rest); };
  return {start(k - 1), start(k)};
}

}  // namespace dynamics
