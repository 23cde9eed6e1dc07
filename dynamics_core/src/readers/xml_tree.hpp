// SPDX-License-Identifier: Apache-2.0
#pragma once

// XML text as a tree that knows where everything stands, read without recursion and within bounds.
// What is broken is noted and reading goes on. It is looked at before any other parser sees the
// text: those of urdfdom recurse, and stop at the first fault.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dynamics::xml {

struct Attribute {
  std::string_view name;
  std::string value;       ///< entities replaced
  std::size_t begin, end;  ///< of the value in the text, between the quotes
};

struct Element {
  std::string_view name;
  std::vector<Attribute> attributes;
  std::size_t line;        ///< first line is 1
  std::size_t begin, end;  ///< from '<' to behind the last '>'
  std::size_t tag_end;     ///< behind the start tag's '>'
  int parent = -1, first_child = -1, last_child = -1, next = -1;
  bool closed = false;  ///< <a/>, or </a> has been found

  const Attribute* find(std::string_view attribute) const;
};

struct Problem {
  std::size_t line;
  std::string message;
};

struct Bounds {
  std::size_t bytes = 64u << 20;
  std::size_t depth = 64;
  std::size_t elements = 1'000'000;
  std::size_t attributes = 1'000;  ///< of one element
  std::size_t problems = 100;
};

class Document {
 public:
  /// `text` must outlive the document.
  explicit Document(std::string_view text, const Bounds& bounds = {});

  const std::vector<Problem>& problems() const { return problems_; }
  const std::vector<Element>& elements() const { return elements_; }
  std::string_view text() const { return text_; }

  /// The outermost element, -1 where there is none.
  int root() const { return elements_.empty() ? -1 : 0; }
  const Element& at(int index) const { return elements_[static_cast<std::size_t>(index)]; }

  /// The first child of that name, and the next sibling of that name; -1 where there is none.
  int child(int element, std::string_view name) const;
  int sibling(int element, std::string_view name) const;
  /// All children of that name, in the order of the file.
  std::vector<int> children(int element, std::string_view name) const;
  /// The characters inside an element up to its first child.
  std::string_view content(int element) const;

 private:
  class Reader;
  std::string_view text_;
  std::vector<Element> elements_;
  std::vector<Problem> problems_;
};

/// Whether the text is UTF-8 throughout.
bool is_utf8(std::string_view text);

}  // namespace dynamics::xml
