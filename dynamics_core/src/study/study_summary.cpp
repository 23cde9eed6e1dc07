// SPDX-License-Identifier: Apache-2.0
#include "study/study_summary.hpp"

#include <fmt/format.h>

#include <Eigen/QR>
#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "dynamics_core/error.hpp"
#include "study/study_page.hpp"

namespace dynamics {

namespace study {
namespace {

constexpr std::size_t most_analyzed = 1'000'000;  ///< rows for quantiles and ranks
constexpr std::uint64_t most_drawn = 4'000;       ///< rows on the page
constexpr std::size_t most_worst = 10;

/// Ranks from -1/2 to 1/2, equal values share the mean of theirs. NaN if a value is not finite.
Eigen::VectorXd ranks(const std::vector<double>& values) {
  const std::size_t n = values.size();
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  Eigen::VectorXd result(static_cast<Eigen::Index>(n));
  for (std::size_t i = 0; i < n;) {
    std::size_t end = i + 1;
    while (end < n && values[order[end]] == values[order[i]]) ++end;
    const double rank = 0.5 * static_cast<double>(i + end - 1);
    for (; i < end; ++i) result[static_cast<Eigen::Index>(order[i])] = rank;
  }
  return result;
}

/// Subtracts the mean and divides by the norm; zero where all are equal.
void standardize(Eigen::Ref<Eigen::VectorXd> x) {
  x.array() -= x.mean();
  const double norm = x.norm();
  if (norm > 0.0) x /= norm;
}

double quantile(const std::vector<double>& sorted, double level) {
  const double at = level * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  const double part = at - static_cast<double>(below);
  return sorted[below] + part * (sorted[above] - sorted[below]);
}

/// Rank correlations and the regression of ranks on the parameters.
void add_sensitivities(const std::vector<std::vector<double>>& parameters,
                       const std::vector<double>& values, StudySummary::Result& result) {
  std::vector<std::size_t> finite;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isfinite(values[i])) finite.push_back(i);
  }
  const auto columns = static_cast<Eigen::Index>(parameters.size());
  const auto rows = static_cast<Eigen::Index>(finite.size());
  const double unknown = std::numeric_limits<double>::quiet_NaN();
  result.rank_correlation.assign(parameters.size(), unknown);
  result.rank_regression = result.rank_correlation;
  result.determination = unknown;
  if (rows <= columns + 1) return;
  const auto chosen = [&](const std::vector<double>& all) {
    std::vector<double> some;
    some.reserve(finite.size());
    for (const std::size_t i : finite) some.push_back(all[i]);
    return some;
  };
  Eigen::VectorXd y = ranks(chosen(values));
  standardize(y);
  if (!(y.norm() > 0.0)) return;  // all equal: nothing to explain
  Eigen::MatrixXd X(rows, columns);
  for (Eigen::Index j = 0; j < columns; ++j) {
    X.col(j) = ranks(chosen(parameters[static_cast<std::size_t>(j)]));
    standardize(X.col(j));
  }
  const Eigen::VectorXd correlation = X.transpose() * y;
  const Eigen::MatrixXd gram = X.transpose() * X;
  const Eigen::VectorXd regression = gram.colPivHouseholderQr().solve(correlation);
  for (Eigen::Index j = 0; j < columns; ++j) {
    result.rank_correlation[static_cast<std::size_t>(j)] = correlation[j];
    result.rank_regression[static_cast<std::size_t>(j)] = regression[j];
  }
  result.determination = regression.dot(correlation);
}

}  // namespace

struct SummaryBuilder::Running {
  /// Mean and deviation by Welford's method.
  struct Moments {
    std::uint64_t count = 0;
    double minimum = std::numeric_limits<double>::infinity();
    double maximum = -std::numeric_limits<double>::infinity();
    double mean = 0.0, sum = 0.0;
    void add(double x) {
      if (!std::isfinite(x)) return;
      ++count;
      minimum = std::min(minimum, x);
      maximum = std::max(maximum, x);
      const double before = x - mean;
      mean += before / static_cast<double>(count);
      sum += before * (x - mean);
    }
  };

  StudySummary summary;
  std::vector<Moments> moments;
  std::vector<std::vector<double>> columns;  ///< parameters, then results, of the analyzed rows
};

SummaryBuilder::SummaryBuilder(const Study& study)
    : study_(study),
      stride_((study.cases() + most_analyzed - 1) / most_analyzed),
      running_(std::make_unique<Running>()) {
  running_->moments.resize(study.results().size());
  running_->columns.resize(study.parameters().size() + study.results().size());
}
SummaryBuilder::~SummaryBuilder() = default;

void SummaryBuilder::add(const StudyRow& row) {
  StudySummary& summary = running_->summary;
  ++summary.cases;
  if (!row.error.empty()) {
    ++summary.failed;
    if (summary.failures.size() < most_worst) summary.failures.push_back(row);
    return;
  }
  const std::size_t first = study_.parameters().size();
  for (std::size_t i = 0; i < running_->moments.size(); ++i)
    running_->moments[i].add(row.values[first + i]);
  if (row.number % stride_ == 0) {
    ++summary.analyzed;
    for (std::size_t i = 0; i < row.values.size(); ++i)
      running_->columns[i].push_back(row.values[i]);
  }
  const double value = row.values[first + study_.worst_result()];
  if (std::isnan(value)) return;
  const bool largest = study_.largest_is_worst();
  const auto better = [&](const StudySummary::Worst& other, double x) {
    return largest ? other.value < x : other.value > x;
  };
  auto& worst = summary.worst;
  if (worst.size() == most_worst && !better(worst.back(), value)) return;
  const auto at = std::find_if(worst.begin(), worst.end(),
                               [&](const auto& other) { return better(other, value); });
  worst.insert(at, {row.number, value});
  if (worst.size() > most_worst) worst.pop_back();
}

StudySummary SummaryBuilder::finish() {
  StudySummary& summary = running_->summary;
  const std::size_t first = study_.parameters().size();
  const std::vector<std::vector<double>> parameters(
      running_->columns.begin(), running_->columns.begin() + static_cast<std::ptrdiff_t>(first));
  for (std::size_t i = 0; i < running_->moments.size(); ++i) {
    const Running::Moments& moments = running_->moments[i];
    StudySummary::Result result{.name = study_.results()[i], .count = moments.count};
    if (moments.count > 0) {
      result.minimum = moments.minimum;
      result.maximum = moments.maximum;
      result.mean = moments.mean;
      if (moments.count > 1)
        result.deviation = std::sqrt(moments.sum / static_cast<double>(moments.count - 1));
    }
    const std::vector<double>& values = running_->columns[first + i];
    std::vector<double> sorted;
    for (const double x : values) {
      if (std::isfinite(x)) sorted.push_back(x);
    }
    std::sort(sorted.begin(), sorted.end());
    for (const double level : StudySummary::levels()) {
      if (!sorted.empty()) result.quantiles.push_back(quantile(sorted, level));
    }
    add_sensitivities(parameters, values, result);
    summary.results.push_back(std::move(result));
  }
  return std::move(summary);
}

}  // namespace study

std::span<const double> StudySummary::levels() {
  static constexpr std::array<double, 9> levels = {0.0,  0.01, 0.05, 0.25, 0.5,
                                                   0.75, 0.95, 0.99, 1.0};
  return levels;
}

std::string study_repeat_command(std::string_view folder, std::uint64_t number) {
  std::string quoted = "'";
  for (const char c : folder) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  const bool plain = folder.find_first_not_of(
                         "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                         "0123456789_-./") == std::string_view::npos;
  return fmt::format("dynamics study {} --case {} --output case_{}.html",
                     plain ? std::string(folder) : quoted + "'", number, number);
}

void StudyFolder::write_summary(const StudySummary& summary, const std::string& run,
                                std::span<const std::pair<std::string, std::string>> links) const {
  using nlohmann::ordered_json;
  const auto finite = [](double x) {
    return std::isfinite(x) ? ordered_json(x) : ordered_json(nullptr);
  };
  const auto by_parameter = [&](const std::vector<double>& values) {
    ordered_json object = ordered_json::object();
    for (std::size_t i = 0; i < values.size(); ++i)
      object[study_.parameters()[i]] = finite(values[i]);
    return object;
  };
  ordered_json results = ordered_json::array();
  for (const StudySummary::Result& result : summary.results) {
    ordered_json quantiles = ordered_json::object();
    for (std::size_t i = 0; i < result.quantiles.size(); ++i)
      quantiles[fmt::format("{}", StudySummary::levels()[i])] = finite(result.quantiles[i]);
    results.push_back({{"name", result.name},
                       {"count", result.count},
                       {"minimum", finite(result.minimum)},
                       {"maximum", finite(result.maximum)},
                       {"mean", finite(result.mean)},
                       {"deviation", finite(result.deviation)},
                       {"quantiles", quantiles},
                       {"rank_correlation", by_parameter(result.rank_correlation)},
                       {"rank_regression", by_parameter(result.rank_regression)},
                       {"rank_determination", finite(result.determination)}});
  }
  ordered_json worst = ordered_json::array(), failures = ordered_json::array();
  for (const StudySummary::Worst& each : summary.worst)
    worst.push_back({{"case", each.number},
                     {"value", finite(each.value)},
                     {"command", study_repeat_command(path_, each.number)}});
  for (const StudyRow& row : summary.failures)
    failures.push_back({{"case", row.number}, {"error", row.error}});
  ordered_json object = {{"format", "dynamics-study-summary"},
                         {"robot", study_.robot()},
                         {"instruction_set", Study::instruction_set()},
                         {"cases", summary.cases},
                         {"failed", summary.failed},
                         {"analyzed", summary.analyzed},
                         {"worst_by", study_.results()[study_.worst_result()]},
                         {"largest_is_worst", study_.largest_is_worst()},
                         {"worst", worst},
                         {"failures", failures},
                         {"results", results},
                         {"run", ordered_json::parse(run)}};
  const auto text = [](const ordered_json& json, int indent) {
    return json.dump(indent, ' ', false, ordered_json::error_handler_t::replace);
  };
  write_file(path_ + "/summary.json", text(object, 2) + "\n");

  // the rows of the page: evenly chosen, and the worst
  const std::uint64_t stride =
      std::max<std::uint64_t>(1, (study_.cases() + study::most_drawn - 1) / study::most_drawn);
  ordered_json rows = ordered_json::array();
  read_rows([&](const StudyRow& row) {
    const bool is_worst = std::any_of(summary.worst.begin(), summary.worst.end(),
                                      [&](const auto& each) { return each.number == row.number; });
    if (row.number % stride != 0 && !is_worst) return;
    ordered_json line = ordered_json::array({row.number});
    for (const double value : row.values) line.push_back(finite(value));
    rows.push_back(std::move(line));
  });
  object["parameters"] = study_.parameters();
  object["rows"] = std::move(rows);
  ordered_json targets = ordered_json::array();
  for (const auto& [title, file] : links) targets.push_back({{"text", title}, {"file", file}});
  object["links"] = std::move(targets);
  object.erase("run");  // the same page for any number of threads
  std::string data = text(object, -1);
  for (std::size_t at = 0; (at = data.find('<', at)) != std::string::npos;)
    data.replace(at, 1, "\\u003c");  // no text of the study ends the script
  std::string page = study::page_template;
  const std::string marker = study::page_marker;
  const std::size_t at = page.find(marker);
  if (at == std::string::npos) throw StateError("study_page.html", "has no marker for the data");
  page.replace(at, marker.size(), data);
  write_file(path_ + "/page.html", page);
}

}  // namespace dynamics
