// SPDX-License-Identifier: Apache-2.0
#pragma once

// The functions of the plugin dynamics_study_hdf5.so, found by dlsym("dynamics_hdf5_functions").

#include <cstdint>

extern "C" {

struct DynamicsHdf5Functions {
  int version;  ///< dynamics_hdf5_version
  /// A file with the columns `case`, `failed` and the named ones; null on failure.
  void* (*create)(const char* path, std::uint64_t rows, const char* const* names,
                  std::uint64_t columns);
  /// An attribute of the file. False on failure, like the functions below.
  bool (*add_text)(void* table, const char* name, const char* text);
  bool (*add_row)(void* table, std::uint64_t number, bool failed, const double* values);
  /// Closes the file, also after a failure.
  bool (*close)(void* table);
};
}

inline constexpr int dynamics_hdf5_version = 1;
