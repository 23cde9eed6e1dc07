// SPDX-License-Identifier: Apache-2.0
#pragma once

// Plugins of `dynamics study`, which have the libraries that are optional and slow to load: MPI,
// HDF5. The program finds them beside itself by fixed names.

#include <filesystem>

namespace dynamics::tools {

/// Path of a plugin: the value of the environment variable alone if it is set, otherwise in the
/// install tree or the build tree. Empty if there is none.
std::filesystem::path find_plugin(const char* name, const char* variable);

/// Loads a plugin and returns its symbol. Throws InputError if it cannot be loaded.
const void* plugin_symbol(const std::filesystem::path& path, const char* symbol);

}  // namespace dynamics::tools
