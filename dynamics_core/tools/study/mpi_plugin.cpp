// SPDX-License-Identifier: Apache-2.0
// The plugin that connects `dynamics study` to MPI: a counter in a window of rank 0, which all
// ranks increase with MPI_Fetch_and_op. No rank is lost to dealing out cases.

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include "mpi_functions.hpp"

namespace {

MPI_Win window = MPI_WIN_NULL;
std::uint64_t* counter = nullptr;

int start(int* rank, int* size) {
  int provided = 0;
  if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided) != MPI_SUCCESS) return 1;
  if (provided < MPI_THREAD_SERIALIZED) return 2;
  MPI_Comm_rank(MPI_COMM_WORLD, rank);
  MPI_Comm_size(MPI_COMM_WORLD, size);
  const MPI_Aint bytes = *rank == 0 ? sizeof(std::uint64_t) : 0;
  if (MPI_Win_allocate(bytes, sizeof(std::uint64_t), MPI_INFO_NULL, MPI_COMM_WORLD,
                       static_cast<void*>(&counter), &window) != MPI_SUCCESS)
    return 3;
  if (*rank == 0) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
    *counter = 0;
    MPI_Win_unlock(0, window);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, window);
  return 0;
}

std::uint64_t take(std::uint64_t count) {
  std::uint64_t before = 0;
  MPI_Fetch_and_op(&count, &before, MPI_UINT64_T, 0, 0, MPI_SUM, window);
  MPI_Win_flush(0, window);
  return before;
}

int largest(int value) {
  int result = value;
  MPI_Allreduce(&value, &result, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  return result;
}

void gather(const std::uint64_t* numbers, int count, std::uint64_t* all) {
  MPI_Gather(numbers, count, MPI_UINT64_T, all, count, MPI_UINT64_T, 0, MPI_COMM_WORLD);
}

void finish() {
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
  MPI_Finalize();
}

void abort_all(int code) { MPI_Abort(MPI_COMM_WORLD, code); }

}  // namespace

extern "C" __attribute__((visibility("default"))) const DynamicsMpiFunctions dynamics_mpi_functions;
const DynamicsMpiFunctions dynamics_mpi_functions = {
    dynamics_mpi_version, start, take, largest, gather, finish, abort_all};
