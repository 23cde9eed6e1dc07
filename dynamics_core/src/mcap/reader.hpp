// SPDX-License-Identifier: Apache-2.0
#pragma once

// Reads an MCAP file from start to end, in the order of the file:
//
//   struct Count : mcap::Visitor {
//     bool wants(const mcap::Channel& channel, const mcap::Schema*) override {
//       return channel.topic == "/joint_states";
//     }
//     void message(const mcap::ReadMessage&) override { ++count; }
//     int count = 0;
//   } visitor;
//   mcap::FileSource source("run.mcap");
//   const mcap::ReadReport report = mcap::read(source, "run.mcap", visitor);
//
// Memory: one record, and one unpacked chunk. A file with a complete end (footer and magic) must be
// intact: everything wrong throws ParseError with file and offset. A file without it was cut off or
// its writer was stopped: all complete records before the first problem are read, and the report
// says where and why reading ended.

#include <cstdint>
#include <string>
#include <string_view>

#include "mcap/records.hpp"
#include "mcap/source.hpp"

namespace dynamics::mcap {

/// A message and its place. Everything is valid during the call only.
struct ReadMessage {
  const Channel& channel;
  const Schema* schema;  ///< null: none
  Message message;
  const Origin& origin;  ///< for errors in the data,
  std::uint64_t offset;  ///< and its offset
};

/// What to read. Exceptions of these functions end the reading and pass through, except ParseError
/// in a file without a complete end.
class Visitor {
 public:
  virtual ~Visitor() = default;
  /// Called for every new channel: whether message() is called for its messages.
  virtual bool wants(const Channel& channel, const Schema* schema) = 0;
  virtual void message(const ReadMessage& message) = 0;
  virtual void attachment(const Attachment& /*attachment*/) {}
  virtual void metadata(const Metadata& /*metadata*/) {}
  /// Whether attachments are read; otherwise their content and checksums are not looked at.
  virtual bool wants_attachments() const { return false; }
  /// True ends the reading.
  virtual bool done() const { return false; }
};

struct ReadLimits {
  std::uint64_t record = std::uint64_t{1} << 28;  ///< bytes of a record that is held in memory
  std::uint64_t chunk = std::uint64_t{1} << 28;   ///< bytes of an unpacked chunk
};

struct ReadReport {
  bool complete = true;        ///< false: the file has no complete end
  std::uint64_t end = 0;       ///< offset behind the last record that was read
  std::string problem;         ///< why reading ended there, with file and offset; empty if complete
  std::uint64_t messages = 0;  ///< all of them, wanted or not
};

ReadReport read(Source& source, const std::string& file_name, Visitor& visitor,
                const ReadLimits& limits = {});

}  // namespace dynamics::mcap
