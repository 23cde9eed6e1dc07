// SPDX-License-Identifier: Apache-2.0
#include "support/allocation_counter.hpp"

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <new>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__GLIBC__)
#define DYNAMICS_COUNTS_ALLOCATIONS 0
#else
#define DYNAMICS_COUNTS_ALLOCATIONS 1
#endif

namespace dynamics::test::allocation_counter {
namespace {

constinit std::atomic<bool> counting{false};
constinit std::atomic<std::size_t> count{0};
constinit thread_local std::size_t count_of_this_thread = 0;

[[maybe_unused]] void record() {
  ++count_of_this_thread;
  if (counting.load(std::memory_order_relaxed)) count.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace

bool available() { return DYNAMICS_COUNTS_ALLOCATIONS == 1; }

void start() {
  count = 0;
  counting = true;
}

std::size_t stop() {
  counting = false;
  return count;
}

std::size_t of_this_thread() { return count_of_this_thread; }

}  // namespace dynamics::test::allocation_counter

#if DYNAMICS_COUNTS_ALLOCATIONS
// Replaces malloc and its variants. Symbols of the executable take precedence over those of glibc,
// for the shared libraries as well.
using dynamics::test::allocation_counter::record;

extern "C" {
// NOLINTBEGIN(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp): glibc's names
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t number, std::size_t size);
void* __libc_realloc(void* pointer, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
void __libc_free(void* pointer);
// NOLINTEND(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp)

void* malloc(std::size_t size) {
  record();
  return __libc_malloc(size);
}
void* calloc(std::size_t number, std::size_t size) {
  record();
  return __libc_calloc(number, size);
}
void* realloc(void* pointer, std::size_t size) {
  record();
  return __libc_realloc(pointer, size);
}
void* memalign(std::size_t alignment, std::size_t size) {
  record();
  return __libc_memalign(alignment, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  record();
  return __libc_memalign(alignment, size);
}
int posix_memalign(void** pointer, std::size_t alignment, std::size_t size) {
  record();
  *pointer = __libc_memalign(alignment, size);
  return *pointer == nullptr ? ENOMEM : 0;
}
void free(void* pointer) { __libc_free(pointer); }
}

// operator new as well: a standard library may not use malloc
void* operator new(std::size_t size) {
  record();
  if (void* pointer = __libc_malloc(size == 0 ? 1 : size)) return pointer;
  throw std::bad_alloc();
}
void* operator new[](std::size_t size) { return operator new(size); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  record();
  if (void* pointer = __libc_memalign(static_cast<std::size_t>(alignment), size)) return pointer;
  throw std::bad_alloc();
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return operator new(size, alignment);
}
void operator delete(void* pointer) noexcept { __libc_free(pointer); }
void operator delete[](void* pointer) noexcept { __libc_free(pointer); }
void operator delete(void* pointer, std::size_t) noexcept { __libc_free(pointer); }
void operator delete[](void* pointer, std::size_t) noexcept { __libc_free(pointer); }
void operator delete(void* pointer, std::align_val_t) noexcept { __libc_free(pointer); }
void operator delete[](void* pointer, std::align_val_t) noexcept { __libc_free(pointer); }
void operator delete(void* pointer, std::size_t, std::align_val_t) noexcept {
  __libc_free(pointer);
}
void operator delete[](void* pointer, std::size_t, std::align_val_t) noexcept {
  __libc_free(pointer);
}
#endif
