// SPDX-License-Identifier: Apache-2.0
//
// FunctionRef: a non-owning reference to a callable, the size of two pointers. Never allocates.
//
//   auto fall = [](const double&, std::span<const double> y, std::span<double> dydt) {
//     dydt[0] = y[1];
//     dydt[1] = -9.81;
//   };
//   FunctionRef<void(const double&, std::span<const double>, std::span<double>)> f(fall);
//
// The callable must outlive the reference; binding to a temporary does not compile.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

namespace dynamics::ode {

template <class Signature>
class FunctionRef;

template <class Result, class... Arguments>
class FunctionRef<Result(Arguments...)> {
 public:
  /// Empty: only `operator bool` may be called.
  FunctionRef() = default;

  template <class Callable>
  requires(!std::is_same_v<std::remove_cv_t<Callable>, FunctionRef> &&
           !std::is_function_v<Callable> && std::is_invocable_r_v<Result, Callable&, Arguments...>)
      FunctionRef(Callable& callable)  // NOLINT(google-explicit-constructor): as std::function_ref
      : object_(const_cast<void*>(static_cast<const void*>(std::addressof(callable)))),
        call_([](void* object, Arguments... arguments) -> Result {
          return (*static_cast<Callable*>(object))(std::forward<Arguments>(arguments)...);
        }) {}

  template <class Callable>
  requires(!std::is_same_v<std::remove_cv_t<Callable>, FunctionRef> &&
           !std::is_lvalue_reference_v<Callable>) FunctionRef(Callable&& temporary)
  = delete;

  Result operator()(Arguments... arguments) const {
    return call_(object_, std::forward<Arguments>(arguments)...);
  }

  explicit operator bool() const { return call_ != nullptr; }

 private:
  void* object_ = nullptr;
  Result (*call_)(void*, Arguments...) = nullptr;
};

}  // namespace dynamics::ode
