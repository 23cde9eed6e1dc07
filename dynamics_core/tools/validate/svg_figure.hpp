// SPDX-License-Identifier: Apache-2.0
#pragma once

// Line plots as SVG text: a grid of panels with axes, ticks and one legend. Small files: a line has
// no more points than its panel can show.

#include <string>
#include <vector>

namespace dynamics::tools {

struct Line {
  std::string name;  ///< in the legend; lines of the same name share a colour
  std::vector<double> x, y;
  bool dashed = false;
  bool dots = false;  ///< marks at the points
};

struct Panel {
  std::string title, x_label, y_label;
  std::vector<Line> lines;
  bool logarithmic_x = false, logarithmic_y = false;
};

class SvgFigure {
 public:
  /// Panels fill rows of `columns`.
  SvgFigure(std::vector<Panel> panels, std::size_t columns)
      : panels_(std::move(panels)), columns_(columns) {}

  std::string text() const;

 private:
  std::vector<Panel> panels_;
  std::size_t columns_;
};

}  // namespace dynamics::tools
