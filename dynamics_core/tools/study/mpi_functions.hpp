// SPDX-License-Identifier: Apache-2.0
#pragma once

// The functions of the plugin dynamics_study_mpi.so, found by dlsym("dynamics_mpi_functions").

#include <cstdint>

extern "C" {

struct DynamicsMpiFunctions {
  int version;  ///< dynamics_mpi_version
  /// 0 on success.
  int (*start)(int* rank, int* size);
  std::uint64_t (*take)(std::uint64_t count);
  int (*largest)(int value);
  /// `all` on rank 0: size * count numbers.
  void (*gather)(const std::uint64_t* numbers, int count, std::uint64_t* all);
  void (*finish)();
  void (*abort)(int code);
};
}

inline constexpr int dynamics_mpi_version = 1;
