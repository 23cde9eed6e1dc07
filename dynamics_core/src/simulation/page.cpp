// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <string>
#include <string_view>

#include "dynamics_core/error.hpp"
#include "dynamics_core/recording.hpp"

namespace dynamics {
namespace {

/// Escapes "<", so that JSON inside a <script> element cannot close it.
std::string escaped(std::string_view json) {
  std::string text;
  text.reserve(json.size());
  for (const char c : json) {
    if (c == '<') {
      text += "\\u003c";
    } else {
      text += c;
    }
  }
  return text;
}

void replace_once(std::string& text, std::string_view placeholder, std::string_view json) {
  const auto at = text.find(placeholder);
  if (at == std::string::npos) {
    throw ParseError("viewer.html",
                     fmt::format("does not contain {}: its version does not match", placeholder));
  }
  text.replace(at, placeholder.size(), escaped(json));
}

}  // namespace

std::string to_page(std::string_view run_json, std::string_view page_template,
                    const PageOptions& options) {
  std::string page(page_template);
  replace_once(page, "__DYNAMICS_RUN__", run_json);
  replace_once(page, "__DYNAMICS_COMPARE__", options.compare);
  replace_once(page, "__DYNAMICS_MESHES__", options.meshes);
  return page;
}

std::string to_page(const Recording& recording, std::string_view page_template,
                    const PageOptions& options) {
  return to_page(to_json(recording, true), page_template, options);
}

}  // namespace dynamics
