// SPDX-License-Identifier: Apache-2.0
#include "readers/yaml_tree.hpp"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <sstream>
#include <system_error>
#include <unordered_set>
#include <utility>

namespace dynamics::yaml {
namespace {

[[noreturn]] void fail_at(const std::string& file, std::size_t line, const std::string& message) {
  throw Error(file, line, "", message);
}

std::size_t line_of(const YAML::Mark& mark) {
  return mark.line < 0 ? 1 : static_cast<std::size_t>(mark.line) + 1;
}

/// Length of the UTF-8 sequence at the start of `text`, 0 if it is invalid.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xC2 && first < 0xE0   ? 2
                             : first >= 0xE0 && first < 0xF0 ? 3
                             : first >= 0xF0 && first < 0xF5 ? 4
                                                             : 0;
  if (length == 0 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  const bool overlong = (first == 0xE0 && byte(1) < 0xA0) || (first == 0xF0 && byte(1) < 0x90);
  const bool surrogate = first == 0xED && byte(1) >= 0xA0;
  const bool beyond = first == 0xF4 && byte(1) >= 0x90;
  return overlong || surrogate || beyond ? 0 : length;
}

/// Checks encoding and line lengths before the text is parsed.
void check_text(std::string_view text, const std::string& file, std::size_t max_line) {
  std::size_t line = 1;
  const char* start = text.data();
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) fail_at(file, line, "not UTF-8 text");
    if (text[0] == '\0') fail_at(file, line, "zero byte: this is not a text file");
    text.remove_prefix(length);
    if (text.data()[-1] == '\n') {
      ++line;
      start = text.data();
    } else if (text.data() > start + max_line) {
      fail_at(file, line, "line is longer than " + std::to_string(max_line) + " bytes");
    }
  }
}

std::string quoted(const std::string& text) {
  constexpr std::size_t most = 40;
  std::size_t end = std::min(text.size(), most);
  if (end < text.size()) {  // cut between characters
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  }
  std::string result(1, '\'');
  result.append(text, 0, end).append(end < text.size() ? "...'" : "'");
  return result;
}

/// Builds the tree from parser events, so that limits are checked before memory is allocated.
class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(Node& root, const std::string& file, const Bounds& bounds)
      : root_(root), file_(file), bounds_(bounds) {}

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnAnchor(const YAML::Mark& mark, const std::string& name) override {
    fail_at(file_, line_of(mark), "anchor " + quoted(name) + ": " + write_out);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    fail_at(file_, line_of(mark), std::string("alias: ") + write_out);
  }
  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override {
    add(mark, "", Node::Kind::scalar);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                const std::string& value) override {
    check_tag(mark, tag);
    if (expects_key()) {
      auto& [map, seen] = open_.back();
      if (!seen.insert(value).second) {
        fail_at(file_, line_of(mark), "key " + quoted(value) + " is given twice");
      }
      count(mark);
      map->keys.push_back(value);
      map->key_lines.push_back(line_of(mark));
      return;
    }
    add(mark, "", Node::Kind::scalar).text = value;
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {
    enter(add(mark, tag, Node::Kind::sequence));
  }
  void OnSequenceEnd() override { open_.pop_back(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {
    enter(add(mark, tag, Node::Kind::map));
  }
  void OnMapEnd() override { open_.pop_back(); }

 private:
  bool expects_key() const {
    if (open_.empty()) return false;
    const Node& node = *open_.back().node;
    return node.kind == Node::Kind::map && node.keys.size() == node.items.size();
  }
  void count(const YAML::Mark& mark) {
    if (++nodes_ > bounds_.nodes) {
      fail_at(file_, line_of(mark), "more than " + std::to_string(bounds_.nodes) + " values");
    }
  }
  void check_tag(const YAML::Mark& mark, const std::string& tag) const {
    // "?": plain scalar, "!": quoted scalar
    if (!tag.empty() && tag != "?" && tag != "!") {
      fail_at(file_, line_of(mark), "tag " + quoted(tag) + ": tags are not supported");
    }
  }
  Node& add(const YAML::Mark& mark, const std::string& tag, Node::Kind kind) {
    check_tag(mark, tag);
    count(mark);
    if (expects_key()) fail_at(file_, line_of(mark), "a key must be a scalar");
    Node* node = &root_;
    if (!open_.empty()) node = &open_.back().node->items.emplace_back();
    node->kind = kind;
    node->line = line_of(mark);
    return *node;
  }
  void enter(Node& node) {
    if (open_.size() == bounds_.depth) {
      fail_at(file_, node.line, "nested deeper than " + std::to_string(bounds_.depth) + " levels");
    }
    open_.push_back({&node, {}});
  }

  static constexpr const char* write_out =
      "anchors and aliases are not supported: write out the value";

  Node& root_;
  const std::string& file_;
  const Bounds& bounds_;
  struct Open {
    Node* node;
    std::unordered_set<std::string> seen;  // keys
  };
  std::vector<Open> open_;  // nodes under construction; only the last one grows
  std::size_t nodes_ = 0;
};

std::string location(const std::string& file, std::size_t line, const std::string& path) {
  return file + (line > 0 ? ":" + std::to_string(line) : "") + (path.empty() ? "" : ": " + path);
}

}  // namespace

Error::Error(const std::string& file, std::size_t line, const std::string& path,
             const std::string& message)
    : ParseError(location(file, line, path), message),
      line_(line),
      message_(path.empty() ? message : path + ": " + message) {}

Node read(std::string_view text, const std::string& file, const Bounds& bounds) {
  if (text.size() > bounds.bytes) {
    throw Error(file, 0, "",
                "file has " + std::to_string(text.size()) + " bytes: the maximum is " +
                    std::to_string(bounds.bytes));
  }
  check_text(text, file, bounds.line);

  Node root;
  TreeBuilder builder(root, file, bounds);
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    if (!parser.HandleNextDocument(builder)) throw Error(file, 0, "", "file is empty");
    Node second;
    TreeBuilder rest(second, file, bounds);
    if (parser.HandleNextDocument(rest)) {
      fail_at(file, std::max<std::size_t>(second.line, 1),
              "second YAML document: only one is allowed");
    }
  } catch (const YAML::Exception& error) {
    fail_at(file, line_of(error.mark), "invalid YAML: " + error.msg);
  }
  return root;
}

void Cursor::fail(const std::string& message) const {
  throw Error(*file_, node_->line, path_, message);
}

void Cursor::expect(Node::Kind kind, const char* what) const {
  if (node_->kind != kind) fail(std::string("must be ") + what);
}

const std::vector<std::string>& Cursor::keys() const {
  expect(Node::Kind::map, "a map");
  return node_->keys;
}

void Cursor::allow_keys(std::initializer_list<std::string_view> known) const {
  for (std::size_t i = 0; i < keys().size(); ++i) {
    const std::string& key = node_->keys[i];
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    std::string list;
    for (const std::string_view each : known)
      list += (list.empty() ? "" : ", ") + std::string(each);
    throw Error(*file_, node_->key_lines[i], path_,
                "unknown key " + quoted(key) + "; known keys: " + list);
  }
}

std::optional<Cursor> Cursor::find(std::string_view key) const {
  const auto& all = keys();
  const auto found = std::find(all.begin(), all.end(), key);
  if (found == all.end()) return std::nullopt;
  return Cursor(node_->items[static_cast<std::size_t>(found - all.begin())],
                path_.empty() ? std::string(key) : path_ + "." + std::string(key), *file_);
}

bool Cursor::has(std::string_view key) const { return find(key).has_value(); }

Cursor Cursor::at(std::string_view key) const {
  auto found = find(key);
  if (!found) fail("key '" + std::string(key) + "' is missing");
  return *found;
}

std::vector<Cursor> Cursor::entries() const {
  expect(Node::Kind::sequence, "a list");
  std::vector<Cursor> result;
  result.reserve(node_->items.size());
  for (std::size_t i = 0; i < node_->items.size(); ++i) {
    result.emplace_back(node_->items[i], path_ + "[" + std::to_string(i + 1) + "]", *file_);
  }
  return result;
}

std::vector<Cursor> Cursor::values() const {
  std::vector<Cursor> result;
  result.reserve(keys().size());
  for (std::size_t i = 0; i < keys().size(); ++i) {
    result.emplace_back(node_->items[i], path_ + "." + node_->keys[i], *file_);
  }
  return result;
}

std::string Cursor::text() const {
  expect(Node::Kind::scalar, "one value");
  if (node_->text.empty()) fail("must not be empty");
  for (const char c : node_->text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte < 0x20 && c != '\n' && c != '\t') || byte == 0x7F)
      fail("contains a control character");
  }
  return node_->text;
}

double Cursor::number() const {
  expect(Node::Kind::scalar, "one number");
  std::string_view digits = node_->text;
  if (digits.starts_with('+') && !digits.starts_with("+-")) digits.remove_prefix(1);
  double value = 0.0;
  const char* end = digits.data() + digits.size();
  const auto result = std::from_chars(digits.data(), end, value);
  if (result.ec == std::errc::result_out_of_range) {
    fail(quoted(node_->text) + " exceeds the range of a double");
  }
  if (result.ec != std::errc() || result.ptr != end) {
    fail("must be a number with a decimal point, like 0.25 or 1e-3; found " + quoted(node_->text));
  }
  if (!std::isfinite(value)) fail("must be a finite number; found " + quoted(node_->text));
  return value;
}

int Cursor::integer(int least, int most) const {
  const double value = number();
  if (value != std::floor(value) || value < least || value > most) {
    fail("must be an integer from " + std::to_string(least) + " to " + std::to_string(most) +
         "; found " + quoted(node_->text));
  }
  return static_cast<int>(value);
}

std::vector<double> Cursor::numbers(std::size_t count) const {
  expect(Node::Kind::sequence, "a list of numbers");
  if (size() != count) {
    fail("must be a list of " + std::to_string(count) + " numbers; found " +
         std::to_string(size()));
  }
  std::vector<double> result;
  result.reserve(count);
  for (const Cursor& entry : entries()) result.push_back(entry.number());
  return result;
}

}  // namespace dynamics::yaml
