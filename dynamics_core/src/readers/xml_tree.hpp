// SPDX-License-Identifier: Apache-2.0
#pragma once

// XML parser that keeps the position of every element and attribute. It is not recursive, limits
// the size of its input, and continues after errors, which it lists. It runs before urdfdom, whose
// parser recurses and stops at the first error.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dynamics::xml {

struct Attribute {
  std::string_view name;
  std::string value;       ///< with entities replaced
  std::size_t begin, end;  ///< position of the value in the text, between the quotes
};

struct Element {
  std::string_view name;
  std::vector<Attribute> attributes;
  std::size_t line;        ///< first line is 1
  std::size_t begin, end;  ///< from '<' to after the last '>'
  std::size_t tag_end;     ///< after the '>' of the start tag
  int parent = -1, first_child = -1, last_child = -1, next = -1;
  bool closed = false;  ///< <a/> or </a> was found

  const Attribute* find(std::string_view attribute) const;
};

struct Problem {
  std::size_t line;
  std::string message;
};

/// Limits of the input.
struct Bounds {
  std::size_t bytes = 64u << 20;
  std::size_t depth = 64;
  std::size_t elements = 1'000'000;
  std::size_t attributes = 1'000;  ///< per element
  std::size_t problems = 100;
};

class Document {
 public:
  /// `text` must outlive the document.
  explicit Document(std::string_view text, const Bounds& bounds = {});

  const std::vector<Problem>& problems() const { return problems_; }
  const std::vector<Element>& elements() const { return elements_; }
  std::string_view text() const { return text_; }
  /// Encoding that the XML declaration names; empty if it names none.
  std::string_view encoding() const { return encoding_; }

  /// Index of the root element, -1 if there is none.
  int root() const { return elements_.empty() ? -1 : 0; }
  const Element& at(int index) const { return elements_[static_cast<std::size_t>(index)]; }

  /// Index of the first child or next sibling with the name; -1 if there is none.
  int child(int element, std::string_view name) const;
  int sibling(int element, std::string_view name) const;
  /// All children with the name, in file order.
  std::vector<int> children(int element, std::string_view name) const;
  /// Text of an element up to its first child.
  std::string_view content(int element) const;

 private:
  class Reader;
  std::string_view text_, encoding_;
  std::vector<Element> elements_;
  std::vector<Problem> problems_;
};

/// True if the text is valid UTF-8.
bool is_utf8(std::string_view text);

}  // namespace dynamics::xml
