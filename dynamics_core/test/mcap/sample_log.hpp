// SPDX-License-Identifier: Apache-2.0
#pragma once

// Small MCAP files for the tests, and a visitor that keeps what it reads.

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "mcap/reader.hpp"
#include "mcap/ros_messages.hpp"
#include "mcap/ros_schemas.hpp"
#include "mcap/writer.hpp"

namespace dynamics::test {

/// A path in the temporary folder, removed at the end.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& name)
      : path_((std::filesystem::path(testing::TempDir()) /
               ("dynamics_mcap_" + std::to_string(::getpid()) + "_" + name))
                  .string()) {}
  ~TemporaryFile() { std::filesystem::remove_all(path_); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const std::string& path() const { return path_; }
  std::string bytes() const {
    std::ifstream file(path_, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  }
  void write(const std::string& bytes) const { std::ofstream(path_, std::ios::binary) << bytes; }

 private:
  std::string path_;
};

/// Writes messages of a topic; adds schema and channel first.
class TopicWriter {
 public:
  TopicWriter(mcap::Writer& writer, const std::string& topic, std::string_view type)
      : writer_(writer),
        channel_(writer.add_channel(
            writer.add_schema(std::string(type), mcap::ros_schema_encoding, mcap::ros_schema(type)),
            topic, mcap::ros_message_encoding)) {}
  template <class Message>
  void write(const Message& message, std::int64_t log_time) {
    mcap::serialize(cdr_, message);
    writer_.write(channel_, static_cast<std::uint64_t>(log_time), cdr_.data());
  }

 private:
  mcap::Writer& writer_;
  std::uint16_t channel_;
  mcap::CdrWriter cdr_;
};

/// Keeps all messages.
struct Collected : mcap::Visitor {
  struct Entry {
    std::string topic, type, data;
    std::uint64_t time;
    std::uint32_t sequence;
  };
  bool wants(const mcap::Channel&, const mcap::Schema*) override { return true; }
  void message(const mcap::ReadMessage& read) override {
    messages.push_back({read.channel.topic, read.schema == nullptr ? "" : read.schema->name,
                        std::string(read.message.data), read.message.log_time,
                        read.message.sequence});
  }
  void attachment(const mcap::Attachment& read) override {
    attachments.emplace_back(read.name, std::string(read.data));
  }
  void metadata(const mcap::Metadata& read) override { metadatas.push_back(read); }
  bool wants_attachments() const override { return true; }

  std::vector<Entry> messages;
  std::vector<std::pair<std::string, std::string>> attachments;
  std::vector<mcap::Metadata> metadatas;
};

inline mcap::ReadReport read_bytes(std::string_view bytes, mcap::Visitor& visitor) {
  mcap::MemorySource source(bytes);
  return mcap::read(source, "log.mcap", visitor);
}

}  // namespace dynamics::test
