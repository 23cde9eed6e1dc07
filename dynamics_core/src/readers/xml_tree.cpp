// SPDX-License-Identifier: Apache-2.0
#include "readers/xml_tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

namespace dynamics::xml {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

bool is_name(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == ':' || c == '-' || c == '.' || byte >= 0x80;
}

void append_utf8(std::string& text, unsigned code) {
  const auto add = [&](unsigned byte) { text.push_back(static_cast<char>(byte)); };
  if (code < 0x80) {
    add(code);
  } else if (code < 0x800) {
    add(0xC0 | code >> 6);
    add(0x80 | (code & 63));
  } else if (code < 0x10000) {
    add(0xE0 | code >> 12);
    add(0x80 | (code >> 6 & 63));
    add(0x80 | (code & 63));
  } else {
    add(0xF0 | code >> 18);
    add(0x80 | (code >> 12 & 63));
    add(0x80 | (code >> 6 & 63));
    add(0x80 | (code & 63));
  }
}

/// Replaces the five entities of XML and character references; nothing if an '&' begins neither.
std::optional<std::string> decode_entities(std::string_view text) {
  constexpr std::pair<std::string_view, char> known[] = {
      {"lt", '<'}, {"gt", '>'}, {"amp", '&'}, {"quot", '"'}, {"apos", '\''}};
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    if (text.front() != '&') {
      result.push_back(text.front());
      text.remove_prefix(1);
      continue;
    }
    const std::size_t semicolon = text.substr(0, 12).find(';');
    if (semicolon == text.npos) return std::nullopt;
    std::string_view name = text.substr(1, semicolon - 1);
    const auto* const found = std::find_if(std::begin(known), std::end(known),
                                           [&](const auto& each) { return each.first == name; });
    if (found != std::end(known)) {
      result.push_back(found->second);
    } else if (name.starts_with('#')) {
      name.remove_prefix(1);
      const int base = name.starts_with('x') ? 16 : 10;
      if (base == 16) name.remove_prefix(1);
      unsigned code = 0;
      const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), code, base);
      if (error != std::errc{} || end != name.data() + name.size() || code == 0 || code > 0x10FFFF)
        return std::nullopt;
      append_utf8(result, code);
    } else {
      return std::nullopt;
    }
    text.remove_prefix(semicolon + 1);
  }
  return result;
}

}  // namespace

class Document::Reader {
 public:
  Reader(Document& document, const Bounds& bounds)
      : document_(document), text_(document.text_), bounds_(bounds) {}

  void read() {
    if (text_.size() > bounds_.bytes) {
      problem("file has " + std::to_string(text_.size()) + " bytes: the maximum is " +
              std::to_string(bounds_.bytes));
      return;
    }
    if (const auto zero = text_.find('\0'); zero != text_.npos) {
      move_to(zero);
      problem("zero byte in the text: save the file as UTF-8 (it may be UTF-16)");
      return;
    }
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
    while (!stopped_) {
      const std::size_t next = text_.find('<', at_);
      if (open_.empty() && !blank(at_, std::min(next, text_.size()))) {
        problem("text outside of the root element");
      }
      if (next == text_.npos) break;
      move_to(next);
      read_markup();
    }
    for (std::size_t i = open_.size(); i-- > 0;) {
      const Element& element = document_.at(open_[i]);
      if (!stopped_) note(element.line, fmt::format("<{}> is not closed", element.name));
      document_.elements_[static_cast<std::size_t>(open_[i])].end = text_.size();
    }
  }

 private:
  bool blank(std::size_t begin, std::size_t end) const {
    return std::all_of(text_.begin() + static_cast<std::ptrdiff_t>(begin),
                       text_.begin() + static_cast<std::ptrdiff_t>(end), is_space);
  }
  void move_to(std::size_t position) {
    line_ += static_cast<std::size_t>(
        std::count(text_.begin() + static_cast<std::ptrdiff_t>(at_),
                   text_.begin() + static_cast<std::ptrdiff_t>(position), '\n'));
    at_ = position;
  }
  void note(std::size_t line, std::string message) {
    if (document_.problems_.size() < bounds_.problems)
      document_.problems_.push_back({line, std::move(message)});
  }
  void problem(std::string message) { note(line_, std::move(message)); }
  void stop(std::string message) {
    problem(std::move(message));
    stopped_ = true;
  }

  /// Moves to after `ending`; stops with an error if there is none.
  void skip_past(std::string_view ending, const char* what) {
    const std::size_t end = text_.find(ending, at_);
    if (end == text_.npos) {
      stop(std::string(what) + " that begins here is not closed");
      return;
    }
    move_to(end + ending.size());
  }

  void read_markup() {
    const std::string_view rest = text_.substr(at_);
    if (rest.starts_with("<!--")) {
      at_ += 4;
      skip_past("-->", "the comment");
    } else if (rest.starts_with("<![CDATA[")) {
      skip_past("]]>", "the CDATA section");
    } else if (rest.starts_with("<?")) {
      if (rest.starts_with("<?xml") && document_.elements_.empty()) read_encoding(rest);
      skip_past("?>", "the declaration");
    } else if (rest.starts_with("<!")) {
      read_document_type();
    } else if (rest.starts_with("</")) {
      read_end_tag();
    } else {
      read_start_tag();
    }
  }

  /// Reads encoding="..." of an XML declaration.
  void read_encoding(std::string_view declaration) {
    declaration = declaration.substr(0, declaration.find("?>"));
    std::size_t at = declaration.find("encoding");
    if (at != declaration.npos) at = declaration.find_first_of("'\"", at);
    if (at == declaration.npos) return;
    const std::string_view value = declaration.substr(at + 1);
    document_.encoding_ = value.substr(0, value.find(declaration[at]));
  }

  /// Skips a document type. One with declarations is an error: entities are not expanded, so their
  /// content would be missing from the model.
  void read_document_type() {
    const std::size_t end = text_.find_first_of(">[", at_);
    if (end == text_.npos || text_[end] == '[') {
      stop(
          "document type with declarations (<!ENTITY ...>) is not supported: replace the entities "
          "by "
          "their content");
      return;
    }
    move_to(end + 1);
  }

  std::string_view take_name() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_name(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }
  void skip_spaces() {
    while (at_ < text_.size() && is_space(text_[at_])) {
      if (text_[at_] == '\n') ++line_;
      ++at_;
    }
  }

  void read_end_tag() {
    const std::size_t line = line_;
    at_ += 2;
    const std::string_view name = take_name();
    skip_spaces();
    if (at_ == text_.size() || text_[at_] != '>') {
      stop(fmt::format("</{} has no '>'", name));
      return;
    }
    ++at_;
    // the innermost open element with this name; elements inside it were not closed
    std::size_t depth = open_.size();
    while (depth > 0 && document_.at(open_[depth - 1]).name != name) --depth;
    if (depth == 0) {
      note(line, fmt::format("</{}> has no start tag", name));
      return;
    }
    while (open_.size() >= depth) {
      Element& element = document_.elements_[static_cast<std::size_t>(open_.back())];
      if (open_.size() > depth) {
        note(element.line,
             fmt::format("<{}> is not closed before </{}> in line {}", element.name, name, line));
      }
      element.end = at_;
      element.closed = true;
      open_.pop_back();
    }
  }

  void read_start_tag() {
    Element element{};
    element.line = line_;
    element.begin = at_;
    ++at_;
    element.name = take_name();
    if (element.name.empty()) {
      problem("'<' does not begin an element: write &lt; for the character");
      return;
    }
    if (open_.size() == bounds_.depth) {
      stop("elements are nested deeper than " + std::to_string(bounds_.depth) + " levels");
      return;
    }
    if (document_.elements_.size() == bounds_.elements) {
      stop("more than " + std::to_string(bounds_.elements) + " elements");
      return;
    }
    if (!read_attributes(element)) return;
    const bool empty = text_[at_ - 2] == '/';
    element.tag_end = element.end = at_;
    element.closed = empty;
    const auto index = static_cast<int>(document_.elements_.size());
    if (open_.empty()) {
      if (index != 0) {
        stop("second root element <" + std::string(element.name) + ">: only one is allowed");
        return;
      }
    } else {
      Element& parent = document_.elements_[static_cast<std::size_t>(open_.back())];
      element.parent = open_.back();
      if (parent.last_child < 0) {
        parent.first_child = index;
      } else {
        document_.elements_[static_cast<std::size_t>(parent.last_child)].next = index;
      }
      parent.last_child = index;
    }
    document_.elements_.push_back(std::move(element));
    if (!empty) open_.push_back(index);
  }

  /// Reads to the end of the start tag, including '>'.
  bool read_attributes(Element& element) {
    const auto invalid_tag = [&](const std::string& why) {
      stop(fmt::format("the tag <{}> {}", element.name, why));
      return false;
    };
    while (true) {
      skip_spaces();
      if (at_ == text_.size()) return invalid_tag("is not closed by '>'");
      if (text_[at_] == '>') {
        ++at_;
        return true;
      }
      if (text_[at_] == '/' && at_ + 1 < text_.size() && text_[at_ + 1] == '>') {
        at_ += 2;
        return true;
      }
      const std::string_view name = take_name();
      if (name.empty()) {
        return invalid_tag("has an unexpected character '" + std::string(text_.substr(at_, 1)) +
                           "'");
      }
      skip_spaces();
      if (at_ == text_.size() || text_[at_] != '=') {
        return invalid_tag("has the attribute " + std::string(name) + " without =\"...\"");
      }
      ++at_;
      skip_spaces();
      const char quote = at_ < text_.size() ? text_[at_] : '\0';
      if (quote != '"' && quote != '\'') {
        return invalid_tag("has the attribute " + std::string(name) + " without quotes");
      }
      ++at_;
      const std::size_t begin = at_;
      const std::size_t end = text_.find(quote, begin);
      if (end == text_.npos) {
        return invalid_tag("has the attribute " + std::string(name) + " without a closing quote");
      }
      const std::string_view raw = text_.substr(begin, end - begin);
      if (raw.find('<') != raw.npos) {
        return invalid_tag("has a '<' in its attribute " + std::string(name) +
                           ": a quote is missing, or write &lt;");
      }
      if (element.find(name) != nullptr) {
        problem(fmt::format("<{}> has the attribute {} twice", element.name, name));
      } else if (element.attributes.size() == bounds_.attributes) {
        return invalid_tag("has more than " + std::to_string(bounds_.attributes) + " attributes");
      } else if (auto value = decode_entities(raw)) {
        element.attributes.push_back({name, *std::move(value), begin, end});
      } else {
        // other readers drop it, keep it or stop
        problem(
            fmt::format("<{}> has an '&' in its attribute {} that begins no entity: write &amp;",
                        element.name, name));
        element.attributes.push_back({name, std::string(raw), begin, end});
      }
      move_to(end + 1);
    }
  }

  Document& document_;
  std::string_view text_;
  const Bounds& bounds_;
  std::size_t at_ = 0, line_ = 1;
  std::vector<int> open_;
  bool stopped_ = false;
};

const Attribute* Element::find(std::string_view attribute) const {
  const auto found = std::find_if(attributes.begin(), attributes.end(),
                                  [&](const Attribute& each) { return each.name == attribute; });
  return found == attributes.end() ? nullptr : &*found;
}

Document::Document(std::string_view text, const Bounds& bounds) : text_(text) {
  Reader(*this, bounds).read();
}

int Document::child(int element, std::string_view name) const {
  int index = at(element).first_child;
  while (index >= 0 && at(index).name != name) index = at(index).next;
  return index;
}

int Document::sibling(int element, std::string_view name) const {
  int index = at(element).next;
  while (index >= 0 && at(index).name != name) index = at(index).next;
  return index;
}

std::vector<int> Document::children(int element, std::string_view name) const {
  std::vector<int> result;
  for (int i = child(element, name); i >= 0; i = sibling(i, name)) result.push_back(i);
  return result;
}

std::string_view Document::content(int element) const {
  const Element& at_element = at(element);
  const std::size_t end = std::min(text_.find('<', at_element.tag_end), at_element.end);
  return end < at_element.tag_end ? std::string_view{}
                                  : text_.substr(at_element.tag_end, end - at_element.tag_end);
}

bool is_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = [&](std::size_t k) {
      return i + k < text.size() ? static_cast<unsigned char>(text[i + k]) : 0U;
    };
    const unsigned first = byte(0);
    const std::size_t length = first < 0x80                    ? 1
                               : first >= 0xC2 && first < 0xE0 ? 2
                               : first >= 0xE0 && first < 0xF0 ? 3
                               : first >= 0xF0 && first < 0xF5 ? 4
                                                               : 0;
    if (length == 0) return false;
    for (std::size_t k = 1; k < length; ++k) {
      if ((byte(k) & 0xC0) != 0x80) return false;
    }
    const unsigned second = byte(1);
    if ((first == 0xE0 && second < 0xA0) || (first == 0xED && second >= 0xA0) ||
        (first == 0xF0 && second < 0x90) || (first == 0xF4 && second >= 0x90)) {
      return false;
    }
    i += length;
  }
  return true;
}

}  // namespace dynamics::xml
