// SPDX-License-Identifier: Apache-2.0
// The format: what the writer writes is what the reader reads; checksums, compression, recovery of
// files that were cut off.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "dynamics_core/error.hpp"
#include "mcap/crc32.hpp"
#include "sample_log.hpp"

namespace dynamics::test {
namespace {

using testing::HasSubstr;

TEST(Crc32, HasTheCheckValueOfItsStandardAndContinues) {
  EXPECT_EQ(mcap::crc32("123456789"), 0xCBF43926u);
  const std::string text = "a text of more than sixteen bytes, at every split";
  for (std::size_t i = 0; i <= text.size(); ++i)
    EXPECT_EQ(mcap::crc32(text.substr(i), mcap::crc32(text.substr(0, i))), mcap::crc32(text)) << i;
}

TEST(Compression, UnpacksWhatItPacked) {
  std::mt19937 random(3);
  std::string data(100000, ' ');
  for (std::size_t i = 0; i < data.size(); ++i)
    data[i] = static_cast<char>(i % 30 == 0 ? random() : i / 100);
  for (const auto kind :
       {mcap::Compression::none, mcap::Compression::lz4, mcap::Compression::zstd}) {
    mcap::Compressor compressor(kind);
    mcap::Decompressor decompressor;
    for (const std::size_t size : {std::size_t{0}, std::size_t{1}, data.size()}) {
      std::string packed, unpacked;
      compressor.compress(std::string_view(data).substr(0, size), packed);
      EXPECT_EQ(decompressor.decompress(mcap::name(kind), packed, size, unpacked), std::nullopt);
      EXPECT_EQ(unpacked, data.substr(0, size));
      if (kind != mcap::Compression::none && size == data.size()) {
        EXPECT_LT(packed.size(), size);
      }
      EXPECT_TRUE(decompressor.decompress(mcap::name(kind), packed, size + 1, unpacked));
      if (size > 0) {
        EXPECT_TRUE(decompressor.decompress(mcap::name(kind), packed, size - 1, unpacked));
      }
    }
  }
}

TEST(Cdr, AlignsFieldsFromTheEndOfTheHeader) {
  mcap::CdrWriter cdr;
  cdr.u8(7).f64(1.5).u8(1).u32(2).text("ab").numbers({});
  // header, u8, 7 of padding, f64, u8, 3 of padding, u32, length, "ab\0", 1 of padding, length
  EXPECT_EQ(cdr.data().size(), 4u + 8 + 8 + 4 + 4 + 4 + 4 + 4);
}

TEST(Cdr, ReadsBigEndian) {
  const std::string data("\0\0\0\0\0\0\0\1\0\0\0\2\0\0\0\3ab\0", 19);
  const mcap::Origin origin{"f"};
  mcap::CdrReader cdr(data, origin, 0);
  EXPECT_EQ(cdr.time(), 1'000'000'002);
  EXPECT_EQ(cdr.text(), "ab");
}

class WrittenFile : public testing::TestWithParam<mcap::Compression> {
 protected:
  /// Three channels, 3000 messages, an attachment and metadata, in several chunks.
  std::string write() {
    TemporaryFile file("written");
    mcap::Writer writer(
        file.path(),
        {.profile = "ros2", .library = "test", .compression = GetParam(), .chunk_size = 10000});
    writer.add_metadata({"settings", {{"a", "1"}, {"b", ""}}});
    std::vector<std::uint16_t> channels;
    for (const char* topic : {"/a", "/b"})
      channels.push_back(writer.add_channel(writer.add_schema("t", "e", "d"), topic, "cdr"));
    channels.push_back(writer.add_channel(0, "/without_schema", "json"));
    for (std::uint32_t i = 0; i < 3000; ++i) {
      messages.emplace_back(i % 50, static_cast<char>('a' + i % 26));
      writer.write(channels[i % 3], 1000 + i, messages.back());
      if (i == 1500) writer.attach({5, 6, "note", "text/plain", "attached"});
    }
    writer.close();
    EXPECT_EQ(writer.statistics().messages, 3000u);
    EXPECT_EQ(writer.statistics().start_time, 1000u);
    EXPECT_EQ(writer.statistics().end_time, 3999u);
    EXPECT_GT(writer.statistics().chunks, 5u);
    return file.bytes();
  }
  void expect_first(const Collected& read, std::size_t count) const {
    ASSERT_EQ(read.messages.size(), count);
    for (std::size_t i = 0; i < count; ++i) {
      EXPECT_EQ(read.messages[i].data, messages[i]);
      EXPECT_EQ(read.messages[i].time, 1000 + i);
      EXPECT_EQ(read.messages[i].sequence, i / 3);
      EXPECT_EQ(read.messages[i].topic, i % 3 == 0 ? "/a" : i % 3 == 1 ? "/b" : "/without_schema");
    }
  }
  std::vector<std::string> messages;
};

TEST_P(WrittenFile, IsReadCompletely) {
  const std::string bytes = write();
  Collected read;
  const mcap::ReadReport report = read_bytes(bytes, read);
  EXPECT_TRUE(report.complete);
  EXPECT_EQ(report.problem, "");
  EXPECT_EQ(report.end, bytes.size());
  expect_first(read, 3000);
  ASSERT_EQ(read.attachments.size(), 1u);
  EXPECT_EQ(read.attachments[0].second, "attached");
  ASSERT_EQ(read.metadatas.size(), 1u);
  EXPECT_EQ(read.metadatas[0].entries.at("a"), "1");
}

TEST_P(WrittenFile, IsRecoveredUpToAnyCut) {
  const std::string bytes = write();
  std::size_t before = 0;
  for (std::size_t size = 60; size < bytes.size(); size += 997) {
    Collected read;
    const mcap::ReadReport report = read_bytes(std::string_view(bytes).substr(0, size), read);
    EXPECT_FALSE(report.complete) << size;
    EXPECT_THAT(report.problem, HasSubstr("log.mcap: offset ")) << size;
    EXPECT_LE(report.end, size);
    EXPECT_GE(read.messages.size(), before);
    before = read.messages.size();
    expect_first(read, before);
  }
  EXPECT_GT(before, 2500u);
}

TEST_P(WrittenFile, WithAnyByteChangedIsNotReadAsSomethingElse) {
  const std::string bytes = write();
  std::mt19937 random(7);
  std::size_t refused = 0;
  for (int round = 0; round < 500; ++round) {
    std::string changed = bytes;
    const std::size_t at = random() % bytes.size();
    changed[at] = static_cast<char>(changed[at] ^ static_cast<char>(1 + random() % 255));
    Collected read;
    try {
      const mcap::ReadReport report = read_bytes(changed, read);
      // only a changed end makes a complete file look cut off
      if (report.complete) ADD_FAILURE() << "the change of byte " << at << " is not noticed";
    } catch (const ParseError& error) {
      ++refused;
      EXPECT_THAT(error.what(), HasSubstr("log.mcap: offset "));
    }
    expect_first(read, read.messages.size());
  }
  EXPECT_GT(refused, 480u);
}

INSTANTIATE_TEST_SUITE_P(Mcap, WrittenFile,
                         testing::Values(mcap::Compression::none, mcap::Compression::lz4,
                                         mcap::Compression::zstd));

TEST(McapWriter, ReportsAFullDisk) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "/dev/full is not there";
  EXPECT_THROW(
      {
        mcap::Writer writer("/dev/full", {.name = "run.mcap"});
        writer.close();
      },
      StateError);
}

}  // namespace
}  // namespace dynamics::test
