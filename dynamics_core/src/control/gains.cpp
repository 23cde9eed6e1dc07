// SPDX-License-Identifier: Apache-2.0
#include "control/gains.hpp"

#include <fmt/format.h>

#include <cmath>

namespace dynamics {
namespace {

constexpr double default_bandwidth = 10.0;  // rad/s
constexpr double default_damping = 1.0;

void check_list(const char* name, const std::vector<double>& values, bool zero_allowed) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool in_range = zero_allowed ? values[i] >= 0.0 : values[i] > 0.0;
    if (in_range && std::isfinite(values[i])) continue;
    throw ArgumentError(fmt::format("{}[{}] is {}; it must be finite and {}", name, i, values[i],
                                    zero_allowed ? "not negative" : "positive"));
  }
}

}  // namespace

void check_gains(const Gains& gains) {
  check_list("kp", gains.kp, true);
  check_list("kd", gains.kd, true);
  check_list("bandwidth", gains.bandwidth, false);
  check_list("damping", gains.damping, true);
  const auto refuse = [](bool twice, const char* first, const char* second) {
    if (twice) throw ArgumentError(fmt::format("{} and {} exclude each other", first, second));
  };
  refuse(!gains.kp.empty() && !gains.bandwidth.empty(), "kp", "bandwidth");
  refuse(!gains.kd.empty() && !gains.bandwidth.empty(), "kd", "bandwidth");
  refuse(!gains.kd.empty() && !gains.damping.empty(), "kd", "damping");
  if (gains.kp.empty() && !gains.kd.empty()) {
    throw ArgumentError("kd is given without kp: give both, or bandwidth and damping");
  }
}

std::vector<double> per_joint(const char* name, const std::vector<double>& given,
                              std::size_t joints, double fallback) {
  if (given.size() == joints) return given;
  if (given.size() > 1) {
    throw ArgumentError(
        fmt::format("{} has {} entries; 1 for all joints or {}, one per joint, are needed", name,
                    given.size(), joints));
  }
  return std::vector<double>(joints, given.empty() ? fallback : given[0]);
}

JointGains::JointGains(const Gains& gains, std::span<const double> inertia) {
  check_gains(gains);
  const std::size_t n = inertia.size();
  const auto bandwidth = per_joint("bandwidth", gains.bandwidth, n, default_bandwidth);
  const auto damping = per_joint("damping", gains.damping, n, default_damping);
  kp = per_joint("kp", gains.kp, n, 0.0);
  kd = per_joint("kd", gains.kd, n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    if (gains.kp.empty()) {
      kp[i] = inertia[i] * bandwidth[i] * bandwidth[i];
      kd[i] = 2.0 * damping[i] * bandwidth[i] * inertia[i];
    } else if (gains.kd.empty()) {
      kd[i] = 2.0 * damping[i] * std::sqrt(kp[i] * inertia[i]);
    }
  }
}

std::string to_string(const Gains& gains) {
  std::string text;
  const auto add = [&](const char* name, const std::vector<double>& values) {
    if (values.empty()) return;
    text += fmt::format("{}{} {:.6g}", text.empty() ? "" : "; ", name, fmt::join(values, ", "));
  };
  add("kp", gains.kp);
  add("kd", gains.kd);
  if (gains.kp.empty()) {
    add("bandwidth",
        gains.bandwidth.empty() ? std::vector<double>{default_bandwidth} : gains.bandwidth);
  }
  if (gains.kd.empty())
    add("damping", gains.damping.empty() ? std::vector<double>{default_damping} : gains.damping);
  return text;
}

}  // namespace dynamics
