// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>

#include "dynamics_core/readers.hpp"
#include "papers/counting/algorithms.hpp"

namespace dynamics::counting {

Model general_arm(std::size_t links, const ArmOptions& options) {
  links += options.extra_links;
  if (links == 0 || links > max_dh_links) {
    throw ArgumentError(
        fmt::format("the number of links is {}; it must be from 1 to {}", links, max_dh_links));
  }
  DhTable table;
  table.name = fmt::format("general arm of {} links", links);
  for (std::size_t i = 0; i < links; ++i) {
    // general parameters, the same on every machine
    const double k = static_cast<double>(i) + 1.0;
    const auto varied = [k](double middle, double spread, double phase) {
      return middle + spread * std::sin(2.3 * k + phase);
    };
    DhLink link;
    link.joint = fmt::format("joint{}", i + 1);
    link.link = fmt::format("link{}", i + 1);
    link.a = varied(0.3, 0.1, 0.1);
    link.b = varied(0.2, 0.1, 0.7);
    link.alpha = options.planar ? 0.0 : (i % 2 == 0 ? 1.0 : -1.0) * varied(0.8, 0.3, 1.3);
    link.mass = varied(3.0, 1.0, 1.9);
    link.r = {varied(0.1, 0.05, 2.5), varied(-0.1, 0.05, 3.1), varied(0.07, 0.03, 3.7)};
    const double xx = varied(0.05, 0.01, 4.3), yy = varied(0.06, 0.01, 4.9),
                 zz = varied(0.055, 0.01, 5.5);
    if (options.principal) {
      link.inertia = Eigen::Vector3d(xx, yy, zz).asDiagonal();
      // the frame of the last link is that of its own joint
      if (i + 1 == links) link.alpha = 0.0;
    } else {
      const double xy = varied(0.004, 0.001, 0.4), xz = varied(-0.003, 0.001, 1.0),
                   yz = varied(0.005, 0.001, 1.6);
      link.inertia << xx, xy, xz, xy, yy, yz, xz, yz, zz;
    }
    table.links.push_back(link);
  }
  table.q0.assign(links, 0.0);
  table.qd0.assign(links, 0.0);
  return model_from_dh(table);
}

}  // namespace dynamics::counting
