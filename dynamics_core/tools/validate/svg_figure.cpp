// SPDX-License-Identifier: Apache-2.0
#include "svg_figure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>

namespace dynamics::tools {
namespace {

// distinguishable for color-blind readers (Okabe and Ito)
constexpr std::array<const char*, 7> colors = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                               "#e69f00", "#56b4e9", "#444444"};

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '<') {
      result += "&lt;";
    } else if (c == '&') {
      result += "&amp;";
    } else {
      result += c;
    }
  }
  return result;
}

/// One axis: maps values to [0, 1] and computes the ticks.
class Axis {
 public:
  Axis(double low, double high, bool logarithmic) : logarithmic_(logarithmic) {
    if (!(low <= high)) low = high = logarithmic ? 1.0 : 0.0;
    low_ = logarithmic ? std::floor(std::log10(low)) : low;
    high_ = logarithmic ? std::ceil(std::log10(high)) : high;
    if (high_ - low_ <= 1e-12 * std::max(std::abs(low_), std::abs(high_))) {
      const double room = std::max(0.5, 0.1 * std::abs(low_));
      low_ -= logarithmic ? 1.0 : room;
      high_ += logarithmic ? 1.0 : room;
    }
    if (!logarithmic) {
      const double rough = (high_ - low_) / 5.0,
                   unit = std::pow(10.0, std::floor(std::log10(rough)));
      step_ = unit * (rough / unit < 1.5   ? 1.0
                      : rough / unit < 3.5 ? 2.0
                      : rough / unit < 7.5 ? 5.0
                                           : 10.0);
    } else {
      step_ = std::max(1.0, std::ceil((high_ - low_) / 6.0));
    }
  }

  /// Extends both ends to multiples of the tick step.
  void widen() {
    low_ = std::floor(low_ / step_ + 1e-9) * step_;
    high_ = std::ceil(high_ / step_ - 1e-9) * step_;
  }

  /// 0 at the low end, 1 at the high end.
  double position(double value) const {
    const double at = logarithmic_ ? std::log10(value) : value;
    return (at - low_) / (high_ - low_);
  }
  bool shows(double value) const { return std::isfinite(value) && (!logarithmic_ || value > 0.0); }

  struct Tick {
    double position;
    std::string text;
  };
  std::vector<Tick> ticks() const {
    std::vector<Tick> result;
    for (double k = std::ceil(low_ / step_ - 1e-9); k * step_ <= high_ + 1e-9 * step_; ++k) {
      const double value = k == 0.0 ? 0.0 : k * step_;
      result.push_back({(value - low_) / (high_ - low_), logarithmic_
                                                             ? fmt::format("1e{:g}", value)
                                                             : fmt::format("{:.4g}", value)});
    }
    return result;
  }

 private:
  double low_, high_, step_ = 1.0;
  bool logarithmic_;
};

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  void include(double x, bool logarithmic) {
    if (!std::isfinite(x) || (logarithmic && !(x > 0.0))) return;
    low = std::min(low, x);
    high = std::max(high, x);
  }
};

class Drawing {
 public:
  template <class... Arguments>
  void add(fmt::format_string<Arguments...> pattern, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(text_), pattern, std::forward<Arguments>(arguments)...);
  }
  std::string text() const { return fmt::to_string(text_); }

 private:
  fmt::memory_buffer text_;
};

constexpr double panel_width = 420.0, panel_height = 250.0;
constexpr double left = 70.0, right = 12.0, top = 26.0, bottom = 40.0;
constexpr double plot_width = panel_width - left - right, plot_height = panel_height - top - bottom;

const char* color_of(const std::vector<std::string>& names, const std::string& name) {
  const auto at = std::find(names.begin(), names.end(), name) - names.begin();
  return colors[static_cast<std::size_t>(at) % colors.size()];
}

/// Draws at most about two points per pixel.
void add_line(Drawing& out, const Line& line, const Axis& x_axis, const Axis& y_axis,
              const char* color) {
  std::string points;
  const auto flush = [&] {
    if (!points.empty()) {
      out.add("<polyline fill=\"none\" stroke=\"{}\" stroke-width=\"{}\"{} points=\"{}\"/>\n",
              color, line.dashed ? 1.4 : 1.6, line.dashed ? " stroke-dasharray=\"5 4\"" : "",
              points);
    }
    points.clear();
  };
  const std::size_t stride = std::max<std::size_t>(1, line.x.size() / 600);
  for (std::size_t i = 0; i < line.x.size(); ++i) {
    if (i % stride != 0 && i + 1 != line.x.size()) continue;
    if (!x_axis.shows(line.x[i]) || !y_axis.shows(line.y[i])) {
      flush();
      continue;
    }
    const double px = left + plot_width * x_axis.position(line.x[i]);
    const double py =
        top + plot_height * (1.0 - std::clamp(y_axis.position(line.y[i]), -0.02, 1.02));
    points += fmt::format("{:.1f},{:.1f} ", px, py);
    if (line.dots)
      out.add("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2.6\" fill=\"{}\"/>\n", px, py, color);
  }
  flush();
}

void add_panel(Drawing& out, const Panel& panel, const std::vector<std::string>& names, double x0,
               double y0) {
  Range x, y;
  for (const Line& line : panel.lines) {
    for (const double value : line.x) x.include(value, panel.logarithmic_x);
    for (const double value : line.y) y.include(value, panel.logarithmic_y);
  }
  const Axis x_axis(x.low, x.high, panel.logarithmic_x);
  Axis y_axis(y.low, y.high, panel.logarithmic_y);
  if (!panel.logarithmic_y) y_axis.widen();
  out.add("<g transform=\"translate({},{})\">\n", x0, y0);
  out.add("<text x=\"{}\" y=\"16\" font-weight=\"bold\">{}</text>\n", left, escaped(panel.title));
  for (const auto& tick : x_axis.ticks()) {
    const double px = left + plot_width * tick.position;
    out.add(
        "<path d=\"M{0:.1f} {1}V{2}\" stroke=\"#ddd\"/><text x=\"{0:.1f}\" y=\"{3}\" "
        "text-anchor=\"middle\">{4}</text>\n",
        px, top, top + plot_height, top + plot_height + 14.0, tick.text);
  }
  for (const auto& tick : y_axis.ticks()) {
    const double py = top + plot_height * (1.0 - tick.position);
    out.add(
        "<path d=\"M{1} {0:.1f}H{2}\" stroke=\"#ddd\"/><text x=\"{3}\" y=\"{4:.1f}\" "
        "text-anchor=\"end\">{5}</text>\n",
        py, left, left + plot_width, left - 5.0, py + 3.5, tick.text);
  }
  out.add("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"#888\"/>\n",
          left, top, plot_width, plot_height);
  out.add("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n", left + plot_width / 2.0,
          panel_height - 8.0, escaped(panel.x_label));
  out.add("<text transform=\"translate(12,{}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
          top + plot_height / 2.0, escaped(panel.y_label));
  for (const Line& line : panel.lines)
    add_line(out, line, x_axis, y_axis, color_of(names, line.name));
  out.add("</g>\n");
}

}  // namespace

std::string SvgFigure::text() const {
  std::vector<std::string> names;
  std::vector<const Line*> first;
  for (const Panel& panel : panels_) {
    for (const Line& line : panel.lines) {
      if (std::find(names.begin(), names.end(), line.name) != names.end()) continue;
      names.push_back(line.name);
      first.push_back(&line);
    }
  }
  const std::size_t columns = std::min(columns_, panels_.size());
  const std::size_t rows = (panels_.size() + columns - 1) / columns;
  const double width = panel_width * static_cast<double>(columns);

  // legend, with line breaks
  Drawing legend;
  double x = left, legend_height = 0.0;
  constexpr double line_height = 18.0;
  for (std::size_t i = 0; names.size() > 1 && i < names.size(); ++i) {
    const double room = 45.0 + 6.4 * static_cast<double>(names[i].size());
    if (legend_height == 0.0 || x + room > width) {
      x = left;
      legend_height += line_height;
    }
    legend.add(
        "<path d=\"M{} {}h24\" stroke=\"{}\" stroke-width=\"2\"{}/><text x=\"{}\" "
        "y=\"{}\">{}</text>\n",
        x, legend_height - 4.0, color_of(names, names[i]),
        first[i]->dashed ? " stroke-dasharray=\"5 4\"" : "", x + 29.0, legend_height,
        escaped(names[i]));
    x += room;
  }
  if (legend_height > 0.0) legend_height += 6.0;

  const double height = panel_height * static_cast<double>(rows) + legend_height;
  Drawing out;
  out.add(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
      "height=\"{1}\" font-family=\"sans-serif\" font-size=\"11\">\n",
      width, height);
  out.add("<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n{}", legend.text());
  for (std::size_t i = 0; i < panels_.size(); ++i) {
    const std::size_t row = i / columns, column = i % columns;
    add_panel(out, panels_[i], names, panel_width * static_cast<double>(column),
              legend_height + panel_height * static_cast<double>(row));
  }
  out.add("</svg>\n");
  return out.text();
}

}  // namespace dynamics::tools
