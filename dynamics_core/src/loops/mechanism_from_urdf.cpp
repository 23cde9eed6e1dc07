// SPDX-License-Identifier: Apache-2.0
#include <fstream>
#include <sstream>

#include "dynamics_core/closed_loops.hpp"
#include "dynamics_core/readers.hpp"

namespace dynamics {

Mechanism mechanism_from_urdf(std::string_view text, const ModelOptions& options,
                              std::string_view source) {
  return Mechanism(read_urdf(text, source), options);
}

Mechanism mechanism_from_urdf_file(const std::string& path, const ModelOptions& options) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw ParseError(path, "cannot be opened: no such file or no permission");
  std::ostringstream text;
  text << file.rdbuf();
  if (file.bad()) throw ParseError(path, "read error before the end of the file");
  return mechanism_from_urdf(text.str(), options, path);
}

Mechanism mechanism_from_dh(const DhTable& table) {
  ModelOptions options;
  options.gravity = table.gravity;
  return Mechanism(describe(table), options);
}

}  // namespace dynamics
