// SPDX-License-Identifier: Apache-2.0
#pragma once

// YAML document as a tree with line numbers, for readers whose errors give file, line and key:
//
//   const yaml::Node root = yaml::read(text, "arm.yaml");
//   const double mass = yaml::Cursor(root, "", file).at("mass").number();
//
// Stricter than YAML: one document, no anchors, aliases or tags, keys are scalars and unique, and
// the size is limited while the text is read.

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dynamics_core/error.hpp"

namespace dynamics::yaml {

/// An error in a YAML text. what() begins with "file:line: path: ".
class Error : public ParseError {
 public:
  Error(const std::string& file, std::size_t line, const std::string& path,
        const std::string& message);

  std::size_t line() const noexcept { return line_; }  ///< 0: the complete file
  /// The message with the path of keys, without file and line.
  const std::string& message() const noexcept { return message_; }

 private:
  std::size_t line_;
  std::string message_;
};

struct Node {
  enum class Kind { scalar, sequence, map };
  Kind kind = Kind::scalar;
  std::size_t line = 0;           ///< starting at 1
  std::string text;               ///< scalar
  std::vector<Node> items;        ///< sequence: entries; map: values
  std::vector<std::string> keys;  ///< map: one key per item
  std::vector<std::size_t> key_lines;
};

/// A node with its location: file name and path of keys.
class Cursor {
 public:
  Cursor(const Node& node, std::string path, const std::string& file)
      : node_(&node), path_(std::move(path)), file_(&file) {}

  /// Throws Error.
  [[noreturn]] void fail(const std::string& message) const;

  /// Throws Error if the map has another key.
  void allow_keys(std::initializer_list<std::string_view> known) const;

  bool is_map() const { return node_->kind == Node::Kind::map; }
  bool is_list() const { return node_->kind == Node::Kind::sequence; }
  bool has(std::string_view key) const;
  std::optional<Cursor> find(std::string_view key) const;
  Cursor at(std::string_view key) const;  ///< throws Error if it is missing
  std::vector<Cursor> entries() const;    ///< of a sequence
  std::vector<Cursor> values() const;     ///< of a map, in the order of keys()
  const std::vector<std::string>& keys() const;

  std::string text() const;                ///< throws if empty or with control characters
  double number() const;                   ///< throws if not finite; independent of the locale
  int integer(int least, int most) const;  ///< throws if outside [least, most]
  std::vector<double> numbers(std::size_t count) const;  ///< throws unless there are `count`
  std::size_t size() const { return node_->items.size(); }
  std::size_t line() const { return node_->line; }

 private:
  void expect(Node::Kind kind, const char* what) const;

  const Node* node_;
  std::string path_;
  const std::string* file_;
};

/// Limits of the input.
struct Bounds {
  std::size_t bytes = 16u << 20;
  std::size_t line = 1u << 20;  ///< bytes; the parser looks ahead for a key to the end of the line
  std::size_t depth = 16;
  std::size_t nodes = 1'000'000;  ///< keys and values
};

/// Parses the text; `file` is only used in messages. Throws Error.
Node read(std::string_view text, const std::string& file, const Bounds& bounds = {});

}  // namespace dynamics::yaml
