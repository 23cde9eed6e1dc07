// SPDX-License-Identifier: Apache-2.0
// Masses and inertia tensors that are implausible for the size of the link.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "check/plausibility.hpp"
#include "spatial/decompositions.hpp"

namespace dynamics::check {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

/// Positive and within the triangle inequality.
bool is_physical(const Vector3d& moments) {
  return moments[0] >= 0.0 && moments[0] + moments[1] >= moments[2] * (1.0 - 1e-6);
}

/// Longest edge of the uniform box with these moments, from m/12 (b^2 + c^2) and so on.
double longest_edge(const Vector3d& moments, double mass) {
  return std::sqrt(std::max(0.0, 6.0 * (moments[1] + moments[2] - moments[0]) / mass));
}

class LinkChecks {
 public:
  explicit LinkChecks(ParsedRobot& robot) : robot_(robot), reach_(reach(robot)) {}

  void run() {
    for (std::size_t i = 0; i < robot_.links.size(); ++i) {
      const ParsedLink& link = robot_.links[i];
      const int above = robot_.parent_joint[i];
      const bool moved = above >= 0 && robot_.joints[static_cast<std::size_t>(above)].moves();
      check_mass(link, i, moved);
      if (link.inertia && link.mass) check_tensor(link, i);
      check_center_of_mass(link, i);
      if (link.flexible) check_flexible(link, i);
    }
    check_mirrored();
  }

 private:
  bool has_fixed_load(std::size_t link) const {
    std::vector<std::size_t> stack = {link};
    for (std::size_t steps = 0; !stack.empty() && steps <= robot_.links.size(); ++steps) {
      const std::size_t at = stack.back();
      stack.pop_back();
      if (at != link && robot_.links[at].mass.value_or(0.0) > 0.0) return true;
      for (const std::size_t joint : robot_.children[at]) {
        if (robot_.joints[joint].moves()) continue;
        const auto child = robot_.link_index.find(robot_.joints[joint].child);
        if (child != robot_.link_index.end()) stack.push_back(child->second);
      }
    }
    return false;
  }

  void check_mass(const ParsedLink& link, std::size_t index, bool moved) {
    if (!link.has_inertial) {
      if (moved && !has_fixed_load(index)) {
        robot_.report(Severity::warning, link, "inertial-missing",
                      "<inertial> is missing and the link is moved by a joint: its mass is zero",
                      "give mass, center of mass and inertia; other programs reject the link");
      }
      return;
    }
    const bool zero = link.mass && *link.mass == 0.0;
    if (zero && link.inertia && link.inertia->isZero(0.0)) {
      robot_.report(moved && !has_fixed_load(index) ? Severity::warning : Severity::information,
                    link, "mass-zero", "mass and inertia are zero",
                    moved ? "give the mass or make the joint fixed" : "remove <inertial>");
    }
    if (robot_.parent_joint[index] < 0 && link.mass.value_or(0.0) > 0.0) {
      robot_.report(Severity::information, link, "root-inertial",
                    fmt::format("mass of {} kg of the root link has no effect while the base is "
                                "fixed",
                                *link.mass),
                    "for a moving base, connect it to a massless root link by a floating joint");
    }
  }

  void check_tensor(const ParsedLink& link, std::size_t index) {
    const double mass = *link.mass;
    const auto report = [&](Severity severity, const char* code, std::string message,
                            std::string repair) -> Finding& {
      Finding& finding = robot_.report(severity, link, code, std::move(message), std::move(repair));
      if (link.inertial_line > 0) finding.line = link.inertial_line;
      return finding;
    };
    if (mass <= 0.0 || !std::isfinite(mass) || !link.inertia->allFinite()) return;
    const Vector3d moments = principal_moments(*link.inertia);
    if (!is_physical(moments) || moments[2] <= 0.0) return;  // validate() reports it
    if (is_placeholder(*link.tensor)) {
      report(Severity::warning, "inertia-placeholder",
             fmt::format("inertia is {:g} times the identity, which looks like a placeholder",
                         (*link.tensor)(0, 0)),
             suggest_tensor(robot_, index));
    }
    check_size(link, index, moments, report);
  }

  /// True for a power of ten times the identity.
  static bool is_placeholder(const Matrix3d& tensor) {
    const double value = tensor(0, 0);
    if (!tensor.isApprox(value * Matrix3d::Identity(), 1e-12) || value <= 0.0) return false;
    const double exponent = std::log10(value);
    return std::abs(exponent - std::round(exponent)) < 1e-9;
  }

  /// Text with the wrong unit that would explain the size, or empty.
  static std::string unit_guess(double edge, double size) {
    constexpr std::pair<double, const char*> units[] = {
        {1e-4, "kg cm^2"}, {1e-6, "kg mm^2"}, {1e-7, "g cm^2"}, {1e-9, "g mm^2"}};
    for (const auto& [factor, name] : units) {
      const double scaled = edge * std::sqrt(factor);
      if (scaled > 0.2 * size && scaled < 1.2 * size) {
        return fmt::format("values look like {}: multiply by {:g}; ", name, factor);
      }
    }
    return "";
  }

  template <class Report>
  void check_size(const ParsedLink& link, std::size_t index, const Vector3d& moments,
                  const Report& report) {
    const double edge = longest_edge(moments, *link.mass);
    const bool shaped = !link.geometry.empty();
    const BoundingBox joints = joint_bounding_box(robot_, index);
    // shapes give the size of a body, joints only a lower estimate
    const double least = shaped ? link.geometry.diagonal() : joints.diagonal();
    const double center = link.center ? link.center->norm() : 0.0;
    const double most = shaped ? least : std::max({10.0 * least, 10.0 * center, reach_});
    const char* what = shaped ? "shapes" : "joints";
    if (most > 0.0 && edge > 3.0 * most) {
      std::string repair = shaped ? unit_guess(edge, least) : unit_guess(edge, most / 3.0);
      if (shaped && fits_about_origin(link, least)) repair.clear();
      report(
          Severity::warning, "inertia-large",
          fmt::format("inertia corresponds to a body of {:.3g} m with the mass of {:.4g} kg, but "
                      "the size of its {} is {:.3g} m",
                      edge, *link.mass, what, shaped ? least : most),
          repair + suggest_tensor(robot_, index));
    } else if (edge < (shaped ? 0.1 : 0.02) * least) {
      report(
          Severity::warning, "inertia-small",
          fmt::format("inertia corresponds to a body of {:.3g} m with the mass of {:.4g} kg, but "
                      "the size of its {} is {:.3g} m",
                      edge, *link.mass, what, least),
          suggest_tensor(robot_, index));
    }
    if (shaped && edge > 1.3 * least && fits_about_origin(link, least)) {
      report(
          Severity::warning, "inertia-about-origin",
          "inertia is too large for the shapes, but fits if it is about the link origin instead of "
          "the center of mass",
          "subtract m (c^2 1 - c c^T): URDF inertia is about the center of mass");
    }
    if (link.volume > 0.0 && !link.has_meshes) {
      const double density = *link.mass / link.volume;
      if (density > 22'600.0 || density < 1.0) {
        report(Severity::warning, "density",
               fmt::format("density is {:.3g} kg/m^3 (mass / volume of the shapes): {}", density,
                           density < 1.0 ? "less than air" : "more than any metal"),
               "check the mass (kg) and the sizes (m)");
      }
    }
  }

  static bool fits_about_origin(const ParsedLink& link, double size) {
    if (!link.center || link.center->squaredNorm() == 0.0) return false;
    const Vector3d& c = *link.center;
    const Vector3d shifted = principal_moments(
        *link.inertia - *link.mass * (c.squaredNorm() * Matrix3d::Identity() - c * c.transpose()));
    const double edge = longest_edge(shifted, *link.mass);
    return is_physical(shifted) && edge > 0.1 * size && edge < 1.1 * size;
  }

  void check_center_of_mass(const ParsedLink& link, std::size_t index) {
    if (!link.has_inertial || !link.center || link.mass.value_or(0.0) <= 0.0) return;
    const bool shaped = !link.geometry.empty() && !link.has_meshes;
    const BoundingBox box = shaped ? link.geometry : joint_bounding_box(robot_, index);
    const double outside = box.distance(*link.center);
    const double threshold =
        shaped ? 0.5 * box.diagonal() : std::max(2.0 * box.diagonal(), 0.5 * reach_);
    if (threshold <= 0.0 || outside <= threshold) return;
    robot_
        .report(Severity::warning, link, "center-outside",
                fmt::format(
                    "center of mass is {:.3g} m outside the box around its {}, of size {:.3g} m",
                    outside, shaped ? "shapes" : "joints", box.diagonal()),
                "give <origin xyz> of <inertial> in the link frame and in meters")
        .line = link.inertial_line;
  }

  void check_flexible(const ParsedLink& link, std::size_t index) {
    const BeamDescription& beam = *link.flexible;
    const double mass = beam.mass_per_length * beam.length + beam.tip_mass + beam.hub_mass;
    if (link.mass && std::abs(*link.mass - mass) > 1e-6 * mass) {
      robot_.report(
          Severity::warning, link, "flexible-mass",
          fmt::format(
              "mass of the beam is {:.9g} kg (length * mass_per_length + tip_mass + hub_mass), but "
              "<inertial> has {:.9g} kg",
              mass, *link.mass),
          "give the same mass in both");
    }
    bool joined = robot_.children[index].empty();
    for (const std::size_t joint : robot_.children[index]) {
      const auto& at = robot_.joints[joint].position;
      joined = joined || (at && (*at - Vector3d(beam.length, 0, 0)).norm() < 1e-3 * beam.length);
    }
    if (!joined) {
      robot_.report(
          Severity::warning, link, "flexible-length",
          fmt::format("no child joint has its origin at the end of the beam, x = {:.6g} m",
                      beam.length),
          "the beam is along the link's x axis: move the origin of the next joint to its end");
    }
    if (beam.modes_y == 0 && beam.modes_z == 0) {
      robot_.report(Severity::information, link, "flexible-without-modes",
                    "beam has no modes and is rigid", "give modes_y or modes_z");
    }
  }

  /// Compares masses of links whose names differ by left and right.
  void check_mirrored() {
    constexpr std::pair<std::string_view, std::string_view> sides[] = {
        {"left", "right"}, {"Left", "Right"}, {"_l_", "_r_"}};
    for (const ParsedLink& link : robot_.links) {
      for (const auto& [left, right] : sides) {
        const std::size_t at = link.name.find(left);
        if (at == std::string::npos || !link.mass) continue;
        std::string other = link.name;
        other.replace(at, left.size(), right);
        const auto found = robot_.link_index.find(other);
        if (found == robot_.link_index.end()) continue;
        const auto& mass = robot_.links[found->second].mass;
        if (!mass || std::abs(*mass - *link.mass) <= 0.01 * std::max(*mass, *link.mass)) continue;
        robot_.report(
            Severity::information, link, "mirror-mass",
            fmt::format("mass is {:.6g} kg, but that of its counterpart '{}' is {:.6g} kg",
                        *link.mass, other, *mass),
            "");
      }
    }
  }

  ParsedRobot& robot_;
  double reach_;
};

}  // namespace

void check_links(ParsedRobot& robot) { LinkChecks(robot).run(); }

}  // namespace dynamics::check
