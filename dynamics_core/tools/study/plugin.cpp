// SPDX-License-Identifier: Apache-2.0
#include "plugin.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <system_error>

#include "../command.hpp"

namespace dynamics::tools {

namespace fs = std::filesystem;

fs::path find_plugin(const char* name, const char* variable) {
  const char* given = std::getenv(variable);  // NOLINT(concurrency-mt-unsafe)
  std::error_code error;
  if (given != nullptr) return fs::is_regular_file(given, error) ? fs::path(given) : fs::path();
  const fs::path here = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const fs::path& path :
       {here / ".." / DYNAMICS_LIBEXEC / "dynamics_core" / name, here / name}) {
    if (fs::is_regular_file(path, error)) return path;
  }
  return {};
}

const void* plugin_symbol(const fs::path& path, const char* symbol) {
  // RTLD_GLOBAL: OpenMPI's own plugins need its symbols
  void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  const void* found = library == nullptr ? nullptr : ::dlsym(library, symbol);
  if (found == nullptr)
    throw InputError(fmt::format("{} cannot be loaded: {}", path.string(),
                                 ::dlerror()));  // NOLINT(concurrency-mt-unsafe)
  return found;
}

}  // namespace dynamics::tools
