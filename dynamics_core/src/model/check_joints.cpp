// SPDX-License-Identifier: Apache-2.0
// Checks of axes, limits, friction and mimics, and of what each joint moves.

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "check_survey.hpp"

namespace dynamics::check {
namespace {

using Eigen::Vector3d;

bool has_stops(const JointSurvey& joint) {
  return joint.type == JointType::revolute || joint.type == JointType::prismatic;
}

class JointChecks {
 public:
  explicit JointChecks(Survey& survey) : survey_(survey) {
    for (const JointSurvey& joint : survey.joints) {
      if (joint.position) reach_ += joint.position->norm();
    }
  }

  void run() {
    for (const JointSurvey& joint : survey_.joints) {
      if (joint.position && !joint.position->allFinite()) {
        survey_.report(Severity::error, joint, "number", "its origin is not finite",
                       "give xyz and rpy as finite numbers");
      }
      check_axis(joint);
      check_limits(joint);
      check_friction(joint);
      check_mimic(joint);
      if (joint.composed()) {
        survey_.report(Severity::information, joint, "joint-composed",
                       fmt::format("is {}: {} coordinates {}/x ...", to_string(*joint.type),
                                   joint.type == JointType::planar ? 3 : 6, joint.name),
                       "");
      }
    }
    check_rings();
    check_masses();
    if (reach_ > 100.0) {
      survey_.report(Severity::warning, Kind::robot, survey_.robot, "reach",
                     fmt::format("its joints are {:.3g} m from each other in all", reach_),
                     "lengths are metres: were millimetres meant?");
    }
  }

 private:
  void check_axis(const JointSurvey& joint) {
    if (!joint.moves() || joint.type == JointType::floating) return;
    if (joint.axis_element >= 0 && !joint.has_axis) {
      survey_.report(Severity::error, joint, "axis-zero", "its <axis> has no xyz",
                     "give a direction such as xyz=\"0 0 1\"");
      return;
    }
    if (!joint.has_axis) {
      Finding& finding = survey_.report(Severity::warning, joint, "axis-missing",
                                        "has no <axis>: URDF takes 1 0 0",
                                        "write the axis out; most joints turn about z");
      if (survey_.document == nullptr) return;
      const xml::Element& element = survey_.document->at(joint.element);
      if (!element.closed || element.tag_end >= element.end) return;
      // on a line of its own, indented as the first child
      const std::string_view text = survey_.document->text();
      const std::size_t child = text.find('<', element.tag_end);
      survey_.fix(finding,
                  {child, child,
                   "<axis xyz=\"1 0 0\"/>" +
                       std::string(text.substr(element.tag_end, child - element.tag_end))});
      return;
    }
    if (!joint.axis) return;  // reported as no numbers
    if (!joint.axis->allFinite()) {
      survey_.report(Severity::error, joint, "number", "its axis is not finite",
                     "give three finite numbers");
      return;
    }
    const double norm = joint.axis->norm();
    if (norm < 1e-9) {
      survey_.report(Severity::error, joint, "axis-zero", "its axis is zero",
                     "give a direction such as \"0 0 1\"");
    } else if (std::abs(norm - 1.0) > 1e-3) {
      Finding& finding = survey_.report(
          Severity::warning, joint, "axis-not-unit",
          fmt::format("its axis has the length {:.6g}: other programs scale the motion by it",
                      norm),
          "make it a unit vector");
      if (joint.axis_element < 0) return;
      const xml::Attribute* xyz = survey_.document->at(joint.axis_element).find("xyz");
      const Vector3d unit = *joint.axis / norm;
      survey_.fix(finding, {xyz->begin, xyz->end,
                            fmt::format("{:.16g} {:.16g} {:.16g}", unit.x(), unit.y(), unit.z())});
    }
  }

  void check_limits(const JointSurvey& joint) {
    if (!joint.moves() || joint.type == JointType::floating) return;
    if (!joint.has_limit) {
      // a DH table may leave a prismatic joint without stops
      if (has_stops(joint) && survey_.document != nullptr) {
        survey_.report(Severity::error, joint, "limit-missing",
                       fmt::format("is {} and has no <limit>", to_string(*joint.type)),
                       joint.type == JointType::revolute
                           ? "give lower, upper, effort and velocity, or make it continuous"
                           : "give lower, upper, effort and velocity");
      }
      return;
    }
    const std::size_t line =
        joint.limit_element < 0 ? joint.line : survey_.document->at(joint.limit_element).line;
    const auto report = [&](Severity severity, const char* code, std::string message,
                            std::string repair) -> Finding& {
      Finding& finding =
          survey_.report(severity, joint, code, std::move(message), std::move(repair));
      finding.line = line;
      return finding;
    };
    for (const auto& [name, value] :
         {std::pair{"effort", joint.effort}, std::pair{"velocity", joint.velocity}}) {
      if (!value) continue;
      if (*value < 0.0 || std::isnan(*value)) {
        report(Severity::error,
               name == std::string("effort") ? "effort-negative" : "velocity-negative",
               fmt::format("its {} limit is {}", name, *value), "it must be zero or more");
      } else if (*value == 0.0) {
        const bool effort = name == std::string("effort");
        report(Severity::warning, effort ? "effort-zero" : "velocity-zero",
               fmt::format("has {} {} limit of 0: it can {}", effort ? "an" : "a", name,
                           effort ? "exert nothing" : "never move"),
               "give the drive's; a large number where it is unknown");
      }
    }
    check_range(joint, report);
  }

  template <class Report>
  void check_range(const JointSurvey& joint, const Report& report) {
    const double lower = joint.lower.value_or(0.0), upper = joint.upper.value_or(0.0);
    if (!has_stops(joint)) {
      if (lower != 0.0 || upper != 0.0) {
        report(Severity::information, "limit-ignored",
               fmt::format("is {}: its stops {} and {} are ignored", to_string(*joint.type), lower,
                           upper),
               joint.type == JointType::continuous ? "make it revolute, or leave them out" : "");
      }
      return;
    }
    if (!std::isfinite(lower) || !std::isfinite(upper)) {
      report(Severity::error, "limit-not-finite", "its stops are not finite",
             "use type continuous for a joint without stops");
      return;
    }
    if (lower > upper) {
      Finding& finding =
          report(Severity::error, "limit-order",
                 fmt::format("its lower limit {} is above its upper limit {}", lower, upper),
                 "exchange them");
      // only where that gives a range around zero is it certain to be what was meant
      if (lower < 0.0 || upper > 0.0 || joint.limit_element < 0 || !joint.lower || !joint.upper)
        return;
      const xml::Element& limit = survey_.document->at(joint.limit_element);
      const xml::Attribute *low = limit.find("lower"), *high = limit.find("upper");
      survey_.fix(finding, {low->begin, low->end, high->value});
      survey_.fix(finding, {high->begin, high->end, low->value});
      return;
    }
    if (lower == upper && !joint.mimic) {
      report(Severity::warning, "limit-range-zero",
             fmt::format("its lower and upper limit are both {}: it can never move", lower),
             "give its range, or make the joint fixed");
    }
    const double largest = std::max(std::abs(lower), std::abs(upper));
    if (joint.type == JointType::revolute && largest > 8.0 * std::numbers::pi) {
      report(Severity::warning, "limit-degrees",
             fmt::format("its stops {} and {} look like degrees", lower, upper),
             fmt::format("in radians they are {:.6g} and {:.6g}", lower / 180.0 * std::numbers::pi,
                         upper / 180.0 * std::numbers::pi));
    } else if (joint.type == JointType::prismatic && upper - lower < 1e6 &&
               upper - lower > 20.0 * std::max(1.0, reach_)) {
      report(Severity::warning, "limit-length",
             fmt::format("it slides over {:.4g} m", upper - lower),
             "limits are metres: were millimetres meant?");
    }
  }

  void check_friction(const JointSurvey& joint) {
    if (!joint.moves()) return;
    const std::tuple<const char*, const char*, double> values[] = {
        {"damping", "damping-negative", joint.damping},
        {"friction", "friction-negative", joint.friction},
        {"rotor inertia", "rotor-negative", joint.rotor_inertia}};
    for (const auto& [name, code, value] : values) {
      if (value >= 0.0 && std::isfinite(value)) continue;
      survey_.report(Severity::error, joint, code, fmt::format("its {} is {}", name, value),
                     "it must be zero or more");
    }
    if (joint.composed() && (joint.friction > 0.0 || joint.rotor_inertia > 0.0)) {
      survey_.report(Severity::warning, joint, "friction-ignored",
                     fmt::format("is {}: its Coulomb friction and rotor inertia are left out",
                                 to_string(*joint.type)),
                     "leave them out, or use single joints");
    }
  }

  void check_mimic(const JointSurvey& joint) {
    if (!joint.mimic) return;
    const Mimic& mimic = *joint.mimic;
    if (joint.type == JointType::fixed) {
      Finding& finding = survey_.report(
          Severity::warning, joint, "mimic-unused",
          "is fixed: that it mimics '" + mimic.joint + "' means nothing", "remove <mimic>");
      if (joint.mimic_element < 0) return;
      const xml::Element& element = survey_.document->at(joint.mimic_element);
      // with the blanks before it
      std::size_t begin = element.begin;
      const std::string_view text = survey_.document->text();
      while (begin > 0 && (text[begin - 1] == ' ' || text[begin - 1] == '\t')) --begin;
      if (begin > 0 && text[begin - 1] == '\n') --begin;
      if (begin > 0 && text[begin - 1] == '\r') --begin;
      survey_.fix(finding, {begin, element.end, ""});
      return;
    }
    if (joint.composed()) {
      survey_.report(Severity::error, joint, "mimic-composed",
                     fmt::format("is {} and mimics another joint", to_string(*joint.type)),
                     "only revolute, continuous and prismatic joints can");
    }
    const auto found = survey_.joint_index.find(mimic.joint);
    if (found == survey_.joint_index.end()) {
      survey_.report(Severity::error, joint, "mimic-unknown",
                     mimic.joint.empty()
                         ? "<mimic> has no joint=\"...\""
                         : "mimics joint '" + mimic.joint + "', which does not exist",
                     "name a joint of this robot");
      return;
    }
    const JointSurvey& leader = survey_.joints[found->second];
    if (leader.type == JointType::fixed || leader.composed()) {
      survey_.report(
          Severity::error, joint, "mimic-of-fixed",
          fmt::format("mimics joint '{}', which is {}", mimic.joint, to_string(*leader.type)),
          "only a revolute, continuous or prismatic joint can be mimicked");
      return;
    }
    if (mimic.multiplier == 0.0) {
      survey_.report(Severity::warning, joint, "mimic-unused",
                     "its multiplier is 0: it never moves", "make it fixed");
    }
    if (has_stops(joint) && has_stops(leader) && joint.lower && joint.upper && leader.lower &&
        leader.upper) {
      double low = mimic.multiplier * *leader.lower + mimic.offset;
      double high = mimic.multiplier * *leader.upper + mimic.offset;
      if (low > high) std::swap(low, high);
      const double slack = 0.01 * std::max(high - low, 1e-6);
      if (low < *joint.lower - slack || high > *joint.upper + slack) {
        survey_.report(Severity::warning, joint, "mimic-range",
                       fmt::format("follows '{}' from {:.4g} to {:.4g}, beyond its own limits {} "
                                   "and {}",
                                   mimic.joint, low, high, *joint.lower, *joint.upper),
                       "widen its limits, or correct multiplier and offset");
      }
    }
  }

  /// Mimic joints that follow each other in a ring; every joint is looked at once.
  void check_rings() {
    enum class State { unseen, open, done };
    std::vector<State> state(survey_.joints.size(), State::unseen);
    for (std::size_t start = 0; start < survey_.joints.size(); ++start) {
      std::vector<std::size_t> path;
      std::size_t at = start;
      while (state[at] == State::unseen) {
        state[at] = State::open;
        path.push_back(at);
        const auto& mimic = survey_.joints[at].mimic;
        if (!mimic || !survey_.joints[at].moves()) break;
        const auto found = survey_.joint_index.find(mimic->joint);
        if (found == survey_.joint_index.end()) break;
        at = found->second;
        if (state[at] == State::open) {
          survey_.report(Severity::error, survey_.joints[at], "mimic-ring",
                         path.size() == 1 && path[0] == at
                             ? "mimics itself"
                             : "mimics itself through other mimic joints",
                         "one joint of the ring must be free");
        }
      }
      for (const std::size_t joint : path) state[joint] = State::done;
    }
  }

  /// Joints that move nothing at all.
  void check_masses() {
    std::vector<std::size_t> order;  // links, parents first
    for (std::size_t i = 0; i < survey_.links.size(); ++i) {
      if (survey_.parent_joint[i] < 0) order.push_back(i);
    }
    for (std::size_t k = 0; k < order.size(); ++k) {
      for (const std::size_t joint : survey_.children[order[k]]) {
        const auto child = survey_.link_index.find(survey_.joints[joint].child);
        if (child == survey_.link_index.end()) continue;
        if (survey_.parent_joint[child->second] != static_cast<int>(joint)) continue;
        order.push_back(child->second);
      }
    }
    std::vector<bool> heavy(survey_.links.size(), false);
    for (std::size_t k = order.size(); k-- > 0;) {
      const LinkSurvey& link = survey_.links[order[k]];
      const bool own =
          link.mass.value_or(0.0) > 0.0 || (link.inertia && !link.inertia->isZero(0.0));
      // what could not be read is not held against the joint as well
      const bool unknown = link.has_inertial && (!link.mass || !link.inertia);
      if (own || unknown) heavy[order[k]] = true;
      const int above = survey_.parent_joint[order[k]];
      if (above < 0) continue;
      const JointSurvey& joint = survey_.joints[static_cast<std::size_t>(above)];
      if (heavy[order[k]] || joint.rotor_inertia > 0.0) {
        const auto parent = survey_.link_index.find(joint.parent);
        if (parent != survey_.link_index.end()) heavy[parent->second] = true;
      } else if (joint.moves() && !joint.mimic) {
        survey_.report(Severity::error, joint, "massless-leaf",
                       fmt::format("moves no mass (link '{}' and what hangs on it): forward "
                                   "dynamics is impossible",
                                   joint.child),
                       "give the link an <inertial>, the joint a rotor inertia, or make it fixed");
      }
    }
  }

  Survey& survey_;
  double reach_ = 0.0;
};

}  // namespace

void check_joints(Survey& survey) { JointChecks(survey).run(); }

}  // namespace dynamics::check
