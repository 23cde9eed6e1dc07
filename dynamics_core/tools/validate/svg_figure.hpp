// SPDX-License-Identifier: Apache-2.0
#pragma once

// Line plots as SVG: a grid of panels with axes, ticks and one legend. Lines are thinned to the
// resolution of the panel.
//
//   Panel panel{.title = "q", .x_label = "time (s)", .y_label = "rad"};
//   panel.lines.push_back({"q1", t, q});
//   const std::string svg = SvgFigure({panel}, 1).text();

#include <string>
#include <vector>

namespace dynamics::tools {

struct Line {
  std::string name;  ///< in the legend; lines of the same name have the same color
  std::vector<double> x, y;
  bool dashed = false;
  bool dots = false;  ///< draw a dot at every point
};

struct Panel {
  std::string title, x_label, y_label;
  std::vector<Line> lines;
  bool logarithmic_x = false, logarithmic_y = false;
};

class SvgFigure {
 public:
  /// The panels fill rows of `columns` panels.
  SvgFigure(std::vector<Panel> panels, std::size_t columns)
      : panels_(std::move(panels)), columns_(columns) {}

  std::string text() const;

 private:
  std::vector<Panel> panels_;
  std::size_t columns_;
};

}  // namespace dynamics::tools
