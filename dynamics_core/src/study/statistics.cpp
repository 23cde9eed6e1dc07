// SPDX-License-Identifier: Apache-2.0
#include "study/statistics.hpp"

#include <algorithm>
#include <cmath>

#include "dynamics_core/view.hpp"

namespace dynamics::study {
namespace {

using Samples = std::span<const double>;

double largest(Samples x) {
  double result = x.front();
  for (const double value : x) result = max_propagating_nan(result, value);
  return result;
}

double smallest(Samples x) {
  double result = -x.front();
  for (const double value : x) result = max_propagating_nan(result, -value);
  return -result;
}

/// The integral of f(x) by the trapezoidal rule.
template <class Function>
double integral_of(Samples t, Samples x, Function&& f) {
  double sum = 0.0;
  for (std::size_t i = 1; i < x.size(); ++i)
    sum += 0.5 * (t[i] - t[i - 1]) * (f(x[i - 1]) + f(x[i]));
  return sum;
}

/// The mean of f(x) over time; of a single sample its value.
template <class Function>
double mean_of(Samples t, Samples x, Function&& f) {
  const double duration = t.empty() ? 0.0 : t.back() - t.front();
  return duration > 0.0 ? integral_of(t, x, f) / duration : f(x.front());
}

double identity(double x) { return x; }
double square(double x) { return x * x; }

double time_of_peak(Samples t, Samples x) {
  const double peak = max_abs(x);
  if (std::isnan(peak)) return peak;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (std::abs(x[i]) == peak) return t[i];
  }
  return t.front();
}

struct NamedStatistic {
  std::string_view name;
  Statistic function;
};
constexpr NamedStatistic known_statistics[] = {
    {"initial", [](Samples, Samples x) { return x.front(); }},
    {"final", [](Samples, Samples x) { return x.back(); }},
    {"minimum", [](Samples, Samples x) { return smallest(x); }},
    {"maximum", [](Samples, Samples x) { return largest(x); }},
    {"range", [](Samples, Samples x) { return largest(x) - smallest(x); }},
    {"peak", [](Samples, Samples x) { return max_abs(x); }},
    {"time_of_peak", time_of_peak},
    {"mean", [](Samples t, Samples x) { return mean_of(t, x, identity); }},
    {"rms", [](Samples t, Samples x) { return std::sqrt(mean_of(t, x, square)); }},
    {"deviation",
     [](Samples t, Samples x) {
       const double mean = mean_of(t, x, identity);
       return std::sqrt(mean_of(t, x, [=](double value) { return square(value - mean); }));
     }},
    {"integral", [](Samples t, Samples x) { return integral_of(t, x, identity); }}};

}  // namespace

std::vector<std::string> statistic_names() {
  std::vector<std::string> names;
  for (const NamedStatistic& known : known_statistics) names.emplace_back(known.name);
  return names;
}

Statistic find_statistic(std::string_view name) {
  for (const NamedStatistic& known : known_statistics) {
    if (known.name == name) return known.function;
  }
  return nullptr;
}

bool is_statistic(std::string_view name) { return find_statistic(name) != nullptr; }

bool matches(std::string_view pattern, std::string_view name) {
  std::size_t p = 0, n = 0, star = std::string_view::npos, retry = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      retry = n;
    } else if (p < pattern.size() && pattern[p] == name[n]) {
      ++p;
      ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++retry;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace dynamics::study
