// SPDX-License-Identifier: Apache-2.0
#pragma once

// ListView: a std::span<const T> for members of structs. It refers to elements that someone else
// keeps, so it can be made from a named std::vector, std::array or std::span, and from the
// temporary of a type that does not own its elements. A temporary that does own them would leave
// the member dangling at the end of the statement: that does not compile.
//
//   std::vector<LinkWrench> wrenches = ...;
//   conditions.wrenches = wrenches;                         // wrenches must outlive conditions
//   conditions.wrenches = std::span(wrenches).first(2);
//   conditions.wrenches = {};                               // none
//   conditions.wrenches = std::vector<LinkWrench>{...};     // does not compile
//
// It never allocates.

#include <concepts>
#include <cstddef>
#include <ranges>
#include <span>
#include <type_traits>

namespace dynamics {

template <class T>
class ListView {
 public:
  constexpr ListView() = default;

  template <class Range>
  requires(!std::same_as<std::remove_cvref_t<Range>, ListView> &&
           std::ranges::borrowed_range<Range> && std::constructible_from<std::span<const T>, Range>)
      // NOLINTNEXTLINE(google-explicit-constructor, bugprone-forwarding-reference-overload)
      constexpr ListView(Range&& range)
      : elements_(range) {}

  template <class Range>
  requires(!std::ranges::borrowed_range<Range> &&
           std::constructible_from<std::span<const T>, Range>)
      // NOLINTNEXTLINE(google-explicit-constructor, bugprone-forwarding-reference-overload)
      ListView(Range&& temporary_that_owns_its_elements)
  = delete;

  constexpr const T* data() const { return elements_.data(); }
  constexpr std::size_t size() const { return elements_.size(); }
  constexpr bool empty() const { return elements_.empty(); }
  constexpr auto begin() const { return elements_.begin(); }
  constexpr auto end() const { return elements_.end(); }
  constexpr const T& operator[](std::size_t i) const { return elements_[i]; }

 private:
  std::span<const T> elements_;
};

}  // namespace dynamics

template <class T>
inline constexpr bool std::ranges::enable_borrowed_range<dynamics::ListView<T>> = true;
