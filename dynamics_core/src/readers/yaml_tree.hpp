// SPDX-License-Identifier: Apache-2.0
#pragma once

// A YAML document as a plain tree that knows its lines, for readers that name file, line and key
// in their errors. Strict where YAML is generous: one document, no anchors, aliases or tags, keys
// are words and appear once, and sizes are bounded while the text is being read.

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dynamics::yaml {

struct Node {
  enum class Kind { scalar, sequence, map };
  Kind kind = Kind::scalar;
  std::size_t line = 0;           ///< first line is 1
  std::string text;               ///< scalar
  std::vector<Node> items;        ///< sequence: entries; map: values
  std::vector<std::string> keys;  ///< map: one for each item
  std::vector<std::size_t> key_lines;
};

/// A node together with where it is: file and path of keys.
class Cursor {
 public:
  Cursor(const Node& node, std::string path, const std::string& file)
      : node_(&node), path_(std::move(path)), file_(&file) {}

  /// Throws ModelError with "file:line: path" as its element.
  [[noreturn]] void fail(const std::string& message) const;

  /// Refuses every key not named here.
  void allow_keys(std::initializer_list<std::string_view> known) const;

  bool is_map() const { return node_->kind == Node::Kind::map; }
  bool has(std::string_view key) const;
  std::optional<Cursor> find(std::string_view key) const;
  Cursor at(std::string_view key) const;  ///< refuses its absence
  std::vector<Cursor> entries() const;    ///< of a sequence
  std::vector<Cursor> values() const;     ///< of a map, in the order of keys()
  const std::vector<std::string>& keys() const;

  std::string text() const;                              ///< not empty, no control characters
  double number() const;                                 ///< finite, decimal point in any locale
  int integer(int least, int most) const;                ///< within these bounds
  std::vector<double> numbers(std::size_t count) const;  ///< exactly so many
  std::size_t size() const { return node_->items.size(); }

 private:
  void expect(Node::Kind kind, const char* what) const;

  const Node* node_;
  std::string path_;
  const std::string* file_;
};

struct Bounds {
  std::size_t bytes = 16u << 20;
  std::size_t line = 1u << 20;  ///< bytes; the parser looks ahead for a key up to a line's end
  std::size_t depth = 16;
  std::size_t nodes = 1'000'000;  ///< keys and values
};

/// Reads the text; `file` is only used in messages. Throws ModelError.
Node read(std::string_view text, const std::string& file, const Bounds& bounds = {});

}  // namespace dynamics::yaml
