// SPDX-License-Identifier: Apache-2.0
// Broken MCAP files: each is refused with file and offset.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <regex>
#include <set>

#include "dynamics_core/error.hpp"
#include "dynamics_core/readers.hpp"
#include "dynamics_core/trajectory.hpp"
#include "mcap/crc32.hpp"
#include "sample_log.hpp"

namespace dynamics::test {
namespace {

using namespace mcap;  // NOLINT(google-build-using-namespace): the records

constexpr std::uint16_t joints = 1;  // id of schema and channel

std::string joint_state(std::size_t names = 3, std::size_t positions = 3, std::int64_t stamp = 1) {
  CdrWriter cdr;
  JointState state;
  state.stamp = stamp;
  const std::string_view all[] = {"joint1", "joint2", "joint3"};
  state.names.assign(all, all + names);
  state.position.assign(positions, 0.5);
  serialize(cdr, state);
  return cdr.data();
}

Schema joint_schema() {
  return {joints, std::string(JointState::type), ros_schema_encoding, ros_schema(JointState::type)};
}
Channel joint_channel() { return {joints, joints, "/joint_states", "cdr", {}}; }

/// A file that is assembled record by record.
struct File {
  File() : bytes(magic) {}
  template <class Record>
  File& add(const Record& record) {
    append(bytes, record);
    return *this;
  }
  File& raw(std::uint8_t opcode, std::uint64_t length, std::string_view content) {
    ByteWriter(bytes).u8(opcode).u64(length).bytes(content);
    return *this;
  }
  File& message(const std::string& data, std::uint16_t channel = joints) {
    return add(Message{channel, 0, 1, 1, data});
  }
  File& start() { return add(Header{"ros2", ""}); }
  File& definitions() { return start().add(joint_schema()).add(joint_channel()); }
  /// A chunk of these records with changes.
  File& chunk(const std::string& records, const std::function<void(Chunk&)>& change = {},
              Compression compression = Compression::zstd) {
    std::string packed;
    Compressor(compression).compress(records, packed);
    Chunk whole{0, 0, records.size(), crc32(records), name(compression), packed};
    if (change) change(whole);
    return add(whole);
  }
  std::string end(std::uint32_t crc = 0, const Footer& footer = {}) {
    add(DataEnd{crc}).add(footer);
    bytes += magic;
    return bytes;
  }
  std::string bytes;
};

std::string records_of(const File& file) { return file.bytes.substr(magic.size()); }

/// A record with its last bytes removed and the length adapted.
template <class Record>
File shortened(File file, const Record& record, std::size_t removed) {
  std::string bytes;
  append(bytes, record);
  const std::string content = bytes.substr(record_prefix, bytes.size() - record_prefix - removed);
  return file.raw(static_cast<std::uint8_t>(bytes[0]), content.size(), content);
}

struct BrokenFile {
  std::string name, bytes, message;
};

std::vector<BrokenFile> broken_files() {
  const std::string intact = File().definitions().message(joint_state()).end();
  const std::string state = joint_state();
  const std::string definitions = records_of(File().add(joint_schema()).add(joint_channel()));
  const std::string records = definitions + records_of(File().message(state));
  std::vector<BrokenFile> all;
  const auto add = [&](const std::string& name, const std::string& bytes,
                       const std::string& message) {
    all.push_back({name, bytes, message});
  };
  const auto open = [] { return File().definitions(); };

  // the frame of the file
  add("empty", "", "not an MCAP file");
  add("text", "t,q_joint1\n0,1\n", "not an MCAP file");
  add("another version", "\x89MCAP1\r\n" + intact.substr(8), "not an MCAP file");
  add("magic with text line ends", "\x89MCAP0\n\n" + intact.substr(8), "not an MCAP file");
  add("no header", File().add(joint_schema()).end(), "must be a Header");
  add("two headers", File().start().start().end(), "second Header");
  add("no data end", File().start().add(Footer{}).bytes + std::string(magic), "without a Data End");
  add("two ends", intact + intact.substr(intact.size() - 37), "follow the end");
  add("length beyond the end", File().start().raw(0x80, 1u << 30, "x").end(), "the file ends");
  add("length near 2^64", File().start().raw(0x80, ~std::uint64_t{0}, "x").end(), "the file ends");
  add("opcode 0", File().start().raw(0, 1, "x").end(), "opcode 0");
  add(
      "message after data end",
      [&] {
        File file = open();
        file.add(DataEnd{}).message(state).add(Footer{});
        return file.bytes + std::string(magic);
      }(),
      "follows the Data End");
  add("checksum of the data", open().message(state).end(1234), "checksum of the file");
  add("summary start", open().message(state).end(0, {12, 0, 0}), "summary starts");
  add("summary offsets", open().message(state).end(0, {0, 7, 0}), "outside of the summary");
  add("checksum of the summary", open().message(state).end(0, {0, 0, 99}), "summary");
  add("short data end", File().start().raw(0x0F, 2, "xx").end(), "more bytes");

  // records
  add("short header", File().raw(1, 3, "abc").end(), "more bytes");
  add("header string too long", File().raw(1, 8, std::string("\xFF\xFF\0\0abcd", 8)).end(),
      "more bytes");
  add("schema id 0", File().start().add(Schema{0, "a", "b", "c"}).end(), "id 0");
  add("schema defined twice", open().add(Schema{joints, "other", "b", "c"}).end(), "twice");
  add("short schema", shortened(File().start(), joint_schema(), 4).end(), "more bytes");
  add("channel without its schema", File().start().add(joint_channel()).end(), "not defined");
  add("channel defined twice", open().add(Channel{joints, joints, "/b", "cdr", {}}).end(), "twice");
  add("short channel", shortened(File().start().add(joint_schema()), joint_channel(), 2).end(),
      "more bytes");
  add(
      "map with a key twice",
      [&] {
        std::string map, content;
        ByteWriter(map).text("k").text("1").text("k").text("2");
        ByteWriter(content).u16(9).u16(0).text("/t").text("cdr").text(map);
        return File().start().raw(4, content.size(), content).end();
      }(),
      "twice");
  add("message of no channel", open().message(state, 7).end(), "not defined");
  add("short message", open().raw(5, 10, "0123456789").end(), "more bytes");
  add("short metadata", open().raw(0x0C, 2, "ab").end(), "more bytes");

  // chunks
  add("chunk with unknown compression",
      File().start().chunk(records, [](Chunk& c) { c.compression = "bz2"; }).end(), "'bz2'");
  add("chunk with damaged zstd",
      File().start().chunk(records, [](Chunk& c) { c.records = "no zstd data"; }).end(), "zstd");
  add("chunk with damaged lz4",
      File()
          .start()
          .chunk(
              records, [](Chunk& c) { c.records = "no lz4 data at all"; }, Compression::lz4)
          .end(),
      "lz4");
  add("chunk with cut lz4",
      File()
          .start()
          .chunk(
              records, [](Chunk& c) { c.records.remove_suffix(20); }, Compression::lz4)
          .end(),
      "lz4");
  add("chunk larger than it says",
      File().start().chunk(records, [](Chunk& c) { --c.uncompressed_size; }).end(), "unpacked");
  add("chunk smaller than it says",
      File().start().chunk(records, [](Chunk& c) { ++c.uncompressed_size; }).end(),
      "the chunk says");
  add("chunk of 2^60 bytes",
      File().start().chunk(records, [](Chunk& c) { c.uncompressed_size = 1ull << 60; }).end(),
      "at most");
  add("chunk with another checksum",
      File().start().chunk(records, [](Chunk& c) { c.uncompressed_crc ^= 1; }).end(), "checksum");
  add("chunk in a chunk", File().start().chunk(records_of(File().chunk(records))).end(),
      "not allowed in a Chunk");
  add("record that leaves its chunk", File().start().chunk(records + "\5\xFF").end(), "more bytes");
  add("short chunk", File().start().raw(6, 20, std::string(20, '\0')).end(), "more bytes");
  add("chunk with a message of no channel",
      File().start().chunk(definitions + records_of(File().message(state, 8))).end(),
      "not defined");

  // messages
  const auto with_data = [&](const std::string& data) { return open().message(data).end(); };
  add("message without CDR header", with_data("abc"), "header");
  add("message with another encapsulation", with_data(std::string("\0\7", 2) + state.substr(2)),
      "encapsulation");
  add("message that ends early", with_data(state.substr(0, state.size() - 5)), "left");
  add("sequence longer than the message", with_data([&] {
        std::string data = state;
        data[21] = '\x7F';  // number of names
        return data;
      }()),
      "does not fit");
  add("string without its zero byte", with_data([&] {
        std::string data = state;
        data[data.find("joint1") + 6] = 'x';
        return data;
      }()),
      "zero byte");
  add("fewer positions than names", with_data(joint_state(3, 2)), "2 entries for 3 joint names");
  add("negative stamp", with_data(joint_state(3, 3, -5)), "negative");
  return all;
}

TEST(BrokenMcapFiles, AreRefusedWithFileAndOffset) {
  const Model model = model_from_dh(built_in_robot("planar3"));
  // the file that most of them are made of is intact
  const std::string intact = File().definitions().message(joint_state()).end();
  EXPECT_EQ(parse_joint_log(intact, "log.mcap", model).t.size(), 1u);
  const auto files = broken_files();
  EXPECT_GE(files.size(), 40u);
  std::set<std::string> names;
  for (const BrokenFile& file : files) {
    SCOPED_TRACE(file.name);
    EXPECT_TRUE(names.insert(file.name).second);
    try {
      parse_joint_log(file.bytes, "log.mcap", model);
      ADD_FAILURE() << "is not refused";
    } catch (const ParseError& error) {
      EXPECT_TRUE(std::regex_search(error.what(), std::regex("log\\.mcap: offset [0-9]+")))
          << error.what();
      EXPECT_THAT(error.what(), testing::HasSubstr(file.message));
    }
  }
}

}  // namespace
}  // namespace dynamics::test
