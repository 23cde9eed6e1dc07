// SPDX-License-Identifier: Apache-2.0
// Reads `vary`: what varies, of which links or joints, and how it is distributed.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/find_by_name.hpp"
#include "study/read_task.hpp"

namespace dynamics::study {
namespace {

using yaml::Cursor;

using Kind = QuantityKind;
using Sign = Quantity::Sign;
constexpr Quantity known_quantities[] = {
    {"mass", Kind::mass, Target::link, 0, false, Sign::positive},
    {"center_x", Kind::center, Target::link, 0},
    {"center_y", Kind::center, Target::link, 1},
    {"center_z", Kind::center, Target::link, 2},
    {"inertia", Kind::inertia, Target::link, 0, true, Sign::positive},
    {"stretch_x", Kind::stretch, Target::link, 0, true, Sign::positive},
    {"stretch_y", Kind::stretch, Target::link, 1, true, Sign::positive},
    {"stretch_z", Kind::stretch, Target::link, 2, true, Sign::positive},
    {"damping", Kind::damping, Target::joint, 0, false, Sign::not_negative},
    {"friction", Kind::friction, Target::joint, 0, false, Sign::not_negative},
    {"rotor_inertia", Kind::rotor_inertia, Target::joint, 0, false, Sign::not_negative},
    {"payload", Kind::payload, Target::robot, 0, false, Sign::not_negative},
    {"payload_x", Kind::payload_center, Target::robot, 0},
    {"payload_y", Kind::payload_center, Target::robot, 1},
    {"payload_z", Kind::payload_center, Target::robot, 2},
    {"gravity_x", Kind::gravity, Target::robot, 0},
    {"gravity_y", Kind::gravity, Target::robot, 1},
    {"gravity_z", Kind::gravity, Target::robot, 2},
    {"gravity", Kind::gravity_scale, Target::robot, 0, true},
    {"q0", Kind::q0, Target::coordinate},
    {"qd0", Kind::qd0, Target::coordinate},
    {"kp", Kind::kp, Target::coordinate, 0, false, Sign::not_negative},
    {"kd", Kind::kd, Target::coordinate, 0, false, Sign::not_negative},
    {"bandwidth", Kind::bandwidth, Target::coordinate, 0, false, Sign::not_negative},
    {"damping_ratio", Kind::damping_ratio, Target::coordinate, 0, false, Sign::not_negative}};

/// Names of the possible targets, with the indices that variations use.
struct Candidates {
  std::vector<std::string> names;
  std::vector<std::size_t> indices;
};

Candidates candidates_of(const Quantity& quantity, const Nominal& nominal) {
  Candidates result;
  const auto add = [&](const std::string& name, std::size_t index) {
    result.names.push_back(name);
    result.indices.push_back(index);
  };
  const RobotDescription& robot = nominal.robot.description;
  if (quantity.target == Target::link) {
    for (std::size_t i = 0; i < robot.links.size(); ++i) {
      const auto& inertial = robot.links[i].inertial;
      if (inertial && inertial->mass > 0.0) add(robot.links[i].name, i);
    }
  } else if (quantity.target == Target::joint) {
    for (std::size_t i = 0; i < robot.joints.size(); ++i) {
      if (robot.joints[i].type != JointType::fixed) add(robot.joints[i].name, i);
    }
  } else if (quantity.target == Target::coordinate) {
    for (std::size_t i = 0; i < nominal.model.size(); ++i)
      add(nominal.model.coordinates()[i].name, i);
  }
  return result;
}

const char* noun(Target target) { return target == Target::link ? "link" : "joint"; }

/// The indices into `candidates` that `of` selects.
std::vector<std::size_t> selected(const Cursor& of, const Quantity& quantity,
                                  const Candidates& candidates) {
  std::vector<std::size_t> result;
  const auto select = [&](const Cursor& at) {
    const std::string name = at.text();
    const auto found = std::find(candidates.names.begin(), candidates.names.end(), name);
    if (found == candidates.names.end()) {
      at.fail(fmt::format("the robot has no {}{} '{}'; it has {}", noun(quantity.target),
                          quantity.target == Target::link ? " with mass" : "", name,
                          fmt::join(candidates.names, ", ")));
    }
    const auto index = static_cast<std::size_t>(found - candidates.names.begin());
    if (std::find(result.begin(), result.end(), index) != result.end())
      at.fail(fmt::format("{} '{}' appears twice", noun(quantity.target), name));
    result.push_back(index);
  };
  if (of.is_list()) {
    if (of.size() == 0) of.fail("must not be empty");
    for (const Cursor& entry : of.entries()) select(entry);
  } else if (of.text() == "all") {
    for (std::size_t i = 0; i < candidates.names.size(); ++i) result.push_back(i);
  } else {
    select(of);
  }
  return result;
}

Distribution read_distribution(const Cursor& at) {
  if (!at.is_map() || at.size() != 1)
    at.fail("must have exactly one of list, grid, uniform, log_uniform, normal");
  at.allow_keys({"list", "grid", "uniform", "log_uniform", "normal"});
  Distribution result;
  const std::string& kind = at.keys().front();
  const Cursor value = at.at(kind);
  if (kind == "list") {
    if (value.entries().empty()) value.fail("must not be empty");
    result.values = value.numbers(value.size());
  } else if (kind == "grid") {
    if (!value.is_list() || value.size() != 3) value.fail("must be [FROM, TO, COUNT]");
    const auto entries = value.entries();
    const double from = entries[0].number(), to = entries[1].number();
    const int count = entries[2].integer(2, 10'000'000);
    if (!(from < to)) value.fail(fmt::format("empty range: {:g} is not below {:g}", from, to));
    for (int i = 0; i < count; ++i)
      result.values.push_back(i + 1 == count ? to : from + (to - from) * i / (count - 1));
  } else if (kind == "normal") {
    if (!value.is_list() || (value.size() != 2 && value.size() != 4))
      value.fail("must be [MEAN, DEVIATION] or [MEAN, DEVIATION, LOWER, UPPER]");
    const auto numbers = value.numbers(value.size());
    result.kind = Distribution::Kind::normal;
    result.first = numbers[0];
    result.second = numbers[1];
    if (!(result.second > 0.0)) value.fail("the deviation must be positive");
    if (numbers.size() == 4) {
      result.lower = numbers[2];
      result.upper = numbers[3];
      if (!(result.lower < result.upper))
        value.fail(fmt::format("empty range: {:g} is not below {:g}", result.lower, result.upper));
      // the quantile of a range in the far tails has no accurate digits
      constexpr double farthest = 6.0;
      if (result.lower > result.first + farthest * result.second ||
          result.upper < result.first - farthest * result.second)
        value.fail("the range is more than 6 deviations away from the mean");
    }
  } else {
    const auto numbers = value.numbers(2);
    result.kind = kind == "uniform" ? Distribution::Kind::uniform : Distribution::Kind::log_uniform;
    result.first = numbers[0];
    result.second = numbers[1];
    if (!(numbers[0] < numbers[1]))
      value.fail(fmt::format("empty range: {:g} is not below {:g}", numbers[0], numbers[1]));
    if (kind == "log_uniform" && !(numbers[0] > 0.0)) value.fail("must be positive");
  }
  return result;
}

/// Refuses values that no case may have. Those of `add` depend on the robot and are checked when
/// they are drawn; a normal distribution without bounds likewise.
void check_values(const Cursor& at, const Variation& variation) {
  const Quantity& quantity = *variation.quantity;
  if (quantity.sign == Sign::any || variation.change == Change::add) return;
  const double least = variation.distribution.least();
  const bool unbounded = variation.distribution.kind == Distribution::Kind::normal &&
                         least == -std::numeric_limits<double>::infinity();
  if (unbounded) return;
  if (least < 0.0 || (least == 0.0 && quantity.sign == Sign::positive)) {
    at.fail(fmt::format("{} {} {:g}: must {}", quantity.name,
                        variation.change == Change::scale ? "scaled by" : "of", least,
                        quantity.sign == Sign::positive ? "be positive" : "not be negative"));
  }
}

/// Refuses what has no effect in this task.
void check_effect(const Cursor& at, const Variation& variation, const Nominal& nominal,
                  const Task& task) {
  const std::string name(variation.quantity->name);
  const auto refuse = [&](bool wrong, const std::string& reason) {
    if (wrong) at.fail(name + " has no effect " + reason);
  };
  const ControllerOptions& options = task.controller_options;
  switch (variation.quantity->kind) {
    case Kind::kp:
    case Kind::kd:
    case Kind::bandwidth:
    case Kind::damping_ratio: {
      refuse(task.kind != RunKind::simulate || task.controller.empty(), "without `controller`");
      const auto& base = variation.quantity->kind == Kind::kp          ? options.gains.kp
                         : variation.quantity->kind == Kind::kd        ? options.gains.kd
                         : variation.quantity->kind == Kind::bandwidth ? options.gains.bandwidth
                                                                       : options.gains.damping;
      const bool all = variation.targets.size() == nominal.model.size();
      if (base.empty() && (variation.change != Change::set || !all))
        at.fail(fmt::format("give `{}` under `run` too: its value for the cases to change",
                            name == "damping_ratio" ? "damping" : name));
      break;
    }
    case Kind::damping:
    case Kind::friction:
      refuse(!task.options.friction, "with `friction: false`");
      refuse(task.kind == RunKind::natural_frequencies, "on natural frequencies");
      break;
    case Kind::payload_center: refuse(!task.payload, "without `payload` under `run`"); break;
    case Kind::payload:
      if (!task.payload && variation.change != Change::set)
        at.fail("payload: give `payload` under `run` too, or `set` it");
      break;
    case Kind::qd0:
      refuse(task.kind == RunKind::inverse || task.kind == RunKind::natural_frequencies,
             "on this run");
      [[fallthrough]];
    case Kind::q0:
      if (nominal.has_loops) at.fail(name + " cannot vary for robots with closed loops");
      refuse(task.kind == RunKind::inverse && !task.cycloid, "on the trajectory of a file");
      break;
    default: break;
  }
}

}  // namespace

void read_variation(const Cursor& entry, const Nominal& nominal, const Task& task,
                    std::vector<Variation>& variations) {
  entry.allow_keys({"parameter", "of", "each", "name", "set", "scale", "add"});
  const Cursor parameter = entry.at("parameter");
  Variation variation;
  try {
    variation.quantity = &find_by_name(known_quantities, "parameter", parameter.text());
  } catch (const yaml::Error&) {
    throw;
  } catch (const ArgumentError& error) {
    parameter.fail(error.what());
  }
  const Quantity& quantity = *variation.quantity;

  std::optional<Cursor> change;
  for (const char* key : {"set", "scale", "add"}) {
    const auto found = entry.find(key);
    if (!found) continue;
    if (change) found->fail("give only one of set, scale, add");
    change = found;
    variation.change = key[0] == 'a' ? Change::add : key[1] == 'c' ? Change::scale : Change::set;
  }
  if (!change) entry.fail("needs one of set, scale, add");
  if (quantity.scale_only && variation.change != Change::scale)
    change->fail(fmt::format("{} can only be scaled, so that inertias stay physical: use scale",
                             quantity.name));
  variation.distribution = read_distribution(*change);
  check_values(*change, variation);

  std::string name(quantity.name);
  if (const auto given = entry.find("name")) name = given->text();
  const auto each = entry.find("each");
  if (each && each->text() != "true" && each->text() != "false")
    each->fail("must be true or false");
  const bool one_per_target = each && each->text() == "true";
  if (name.find_first_of(",\"\n\r") != std::string::npos)
    entry.at("name").fail("must not contain commas, quotes or line breaks");

  const auto append = [&](const std::string& column, std::vector<std::size_t> targets) {
    for (const Variation& other : variations) {
      if (other.name == column)
        entry.fail(fmt::format("the name '{}' appears twice: give another `name`", column));
    }
    Variation copy = variation;
    copy.name = column;
    copy.targets = std::move(targets);
    check_effect(entry, copy, nominal, task);
    variations.push_back(std::move(copy));
  };
  if (quantity.target == Target::robot) {
    for (const char* key : {"of", "each"}) {
      if (const auto given = entry.find(key))
        given->fail(fmt::format("{} belongs to the robot: remove it", quantity.name));
    }
    append(name, {});
    return;
  }
  const Candidates candidates = candidates_of(quantity, nominal);
  const Cursor of = entry.at("of");
  const std::vector<std::size_t> chosen = selected(of, quantity, candidates);
  const auto indices = [&](std::span<const std::size_t> some) {
    std::vector<std::size_t> result;
    for (const std::size_t i : some) result.push_back(candidates.indices[i]);
    return result;
  };
  if (one_per_target) {
    for (const std::size_t i : chosen)
      append(name + "_" + candidates.names[i], {candidates.indices[i]});
  } else {
    const bool named = entry.has("name");
    append(named ? name : of.is_list() ? name : name + "_" + of.text(), indices(chosen));
  }
}

}  // namespace dynamics::study
