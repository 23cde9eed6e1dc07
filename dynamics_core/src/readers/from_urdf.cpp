// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fstream>
#include <sstream>

#include "dynamics_core/readers.hpp"
#include "readers/urdf_reader.hpp"

namespace dynamics {

RobotDescription read_urdf(std::string_view text, std::string_view source) {
  ParsedUrdf parsed = parse_urdf(text, source);
  // without the warnings of validate(), which Model reports again
  std::vector<Finding> findings = parsed.robot.findings;
  const Finding* error = parsed.robot.first_error();
  if (error != nullptr) throw to_error<ParseError>(*error, parsed.robot.source);
  if (parsed.is_robot) validate(parsed.robot);
  error = parsed.robot.first_error();
  if (error != nullptr) throw to_error<ModelError>(*error, parsed.robot.source);
  RobotDescription description = to_description(std::move(parsed.robot));
  compare_with_urdfdom(parsed.urdf_1_0, description, findings);
  for (const Finding& finding : findings) {
    if (finding.severity == Finding::Severity::error) {
      throw to_error<ParseError>(finding, description.source);
    }
  }
  description.findings = std::move(findings);
  return description;
}

Model model_from_urdf(std::string_view text, const ModelOptions& options, std::string_view source) {
  return Model(read_urdf(text, source), options);
}

Model model_from_urdf_file(const std::string& path, const ModelOptions& options) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw ParseError(path, "cannot be opened: no such file or no permission");
  std::ostringstream text;
  text << file.rdbuf();
  if (file.bad()) throw ParseError(path, "read error before the end of the file");
  return model_from_urdf(text.str(), options, path);
}

}  // namespace dynamics
