// SPDX-License-Identifier: Apache-2.0
#include "mcap/bag_metadata.hpp"

#include <fmt/format.h>

namespace dynamics::mcap {
namespace {

/// A YAML string in double quotes.
std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '\n') {
      result += "\\n";
    } else if (static_cast<unsigned char>(c) < 0x20) {
      result += fmt::format("\\x{:02x}", static_cast<unsigned>(c));
    } else {
      if (c == '"' || c == '\\') result += '\\';
      result += c;
    }
  }
  return result + '"';
}

}  // namespace

std::string bag_metadata(const Writer& writer, const std::string& file) {
  const Statistics& statistics = writer.statistics();
  const std::uint64_t duration = statistics.end_time - statistics.start_time;
  std::string yaml = fmt::format(
      "rosbag2_bagfile_information:\n"
      "  version: 5\n"
      "  storage_identifier: mcap\n"
      "  duration:\n    nanoseconds: {}\n"
      "  starting_time:\n    nanoseconds_since_epoch: {}\n"
      "  message_count: {}\n"
      "  topics_with_message_count:\n",
      duration, statistics.start_time, statistics.messages);
  for (const Channel& channel : writer.channels()) {
    const auto qos = channel.metadata.find("offered_qos_profiles");
    yaml += fmt::format(
        "    - topic_metadata:\n"
        "        name: {}\n"
        "        type: {}\n"
        "        serialization_format: {}\n"
        "        offered_qos_profiles: {}\n"
        "      message_count: {}\n",
        quoted(channel.topic), quoted(writer.schemas()[channel.schema - 1u].name),
        quoted(channel.message_encoding), quoted(qos == channel.metadata.end() ? "" : qos->second),
        statistics.channel_messages.at(channel.id));
  }
  yaml += fmt::format(
      "  compression_format: \"\"\n"
      "  compression_mode: \"\"\n"
      "  relative_file_paths:\n    - {0}\n"
      "  files:\n"
      "    - path: {0}\n"
      "      starting_time:\n        nanoseconds_since_epoch: {1}\n"
      "      duration:\n        nanoseconds: {2}\n"
      "      message_count: {3}\n",
      quoted(file), statistics.start_time, duration, statistics.messages);
  return yaml;
}

}  // namespace dynamics::mcap
