// SPDX-License-Identifier: Apache-2.0
#include "study/study_log.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <sstream>
#include <system_error>
#include <utility>

#include "mcap/crc32.hpp"

namespace dynamics {
namespace {

constexpr std::size_t frame_size = 8;             ///< size and CRC-32
constexpr std::size_t largest_error = 1U << 16U;  ///< bytes of text

void put(std::string& bytes, const void* data, std::size_t size) {
  bytes.append(static_cast<const char*>(data), size);
}

std::string error_text(int error) { return std::generic_category().message(error); }

}  // namespace

namespace study {

std::string log_header(const Study& study) {
  return fmt::format("dynamics-study-rows 1 {:016x} {} {}\n", study.fingerprint(),
                     Study::instruction_set(), study.parameters().size() + study.results().size());
}

LogReader::LogReader(std::string path, const Study& study)
    : path_(std::move(path)),
      file_(std::fopen(path_.c_str(), "rbe")),
      width_(study.parameters().size() + study.results().size()) {
  if (!file_) throw StateError(path_, "cannot be read: " + error_text(errno));
  std::array<char, 256> line{};
  if (std::fgets(line.data(), line.size(), file_.get()) == nullptr) return;  // nothing written yet
  const std::string_view found(line.data());
  const std::string expected = log_header(study);
  if (found == expected) return;
  if (!found.ends_with('\n')) return;  // killed while it wrote the first line
  std::istringstream given{std::string(found)}, wanted{expected};
  std::string format, version, fingerprint, instructions, other;
  given >> format >> version >> fingerprint >> instructions;
  wanted >> other >> other >> other;
  if (format != "dynamics-study-rows" || version != "1")
    throw ArgumentError(path_, "is not a log of rows of this version");
  if (fingerprint != other) throw ArgumentError(path_, "has rows of another or a changed study");
  throw ArgumentError(
      path_, fmt::format("has rows computed with {}, this process uses {}: the rows of a table "
                         "must come from one instruction set (DYNAMICS_ISA)",
                         instructions, Study::instruction_set()));
}

bool LogReader::read_record() {
  std::array<std::uint32_t, 2> frame{};
  if (!file_ || std::fread(frame.data(), frame_size, 1, file_.get()) != 1) return false;
  const std::size_t least = sizeof(std::uint64_t) + width_ * sizeof(double);
  if (frame[0] < least || frame[0] > least + largest_error) return false;
  record_.resize(frame[0]);
  if (std::fread(record_.data(), record_.size(), 1, file_.get()) != 1) return false;
  if (mcap::crc32(record_) != frame[1]) return false;
  std::memcpy(&row_.number, record_.data(), sizeof row_.number);
  return true;
}

bool LogReader::next_number() { return read_record(); }

bool LogReader::next() {
  if (!read_record()) return false;
  row_.values.resize(width_);
  std::memcpy(row_.values.data(), record_.data() + sizeof row_.number, width_ * sizeof(double));
  row_.error = record_.substr(sizeof row_.number + width_ * sizeof(double));
  return true;
}

}  // namespace study

StudyLog::StudyLog(std::string path, const Study& study)
    : path_(std::move(path)),
      file_(::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666)),
      width_(study.parameters().size() + study.results().size()) {
  if (file_ < 0) throw StateError(path_, "cannot be created: " + error_text(errno));
  const std::string header = study::log_header(study);
  if (::write(file_, header.data(), header.size()) != static_cast<ssize_t>(header.size())) {
    const int error = errno;
    ::close(file_);
    ::unlink(path_.c_str());
    throw StateError(path_, "cannot be written: " + error_text(error));
  }
  end_ = header.size();
}

StudyLog::StudyLog(StudyLog&& other) noexcept
    : path_(std::move(other.path_)),
      file_(std::exchange(other.file_, -1)),
      end_(other.end_),
      width_(other.width_) {}

StudyLog::~StudyLog() {
  if (file_ >= 0) ::close(file_);
}

void StudyLog::append(const StudyRow& row) {
  if (row.values.size() != width_)
    throw ArgumentError("row",
                        fmt::format("has {} values; the study has {}", row.values.size(), width_));
  std::string bytes(frame_size, '\0');
  put(bytes, &row.number, sizeof row.number);
  put(bytes, row.values.data(), width_ * sizeof(double));
  bytes.append(row.error, 0, largest_error);
  const std::array<std::uint32_t, 2> frame = {
      static_cast<std::uint32_t>(bytes.size() - frame_size),
      mcap::crc32(std::string_view(bytes).substr(frame_size))};
  std::memcpy(bytes.data(), frame.data(), frame_size);
  std::string_view rest = bytes;
  while (!rest.empty()) {
    const ssize_t written = ::write(file_, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      const int error = errno;
      // the log ends with the row before
      static_cast<void>(!::ftruncate(file_, static_cast<off_t>(end_)));
      throw StateError(
          path_, fmt::format("case {} cannot be written: {}; {}", row.number, error_text(error),
                             "all rows before are kept: continue with --resume"));
    }
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  end_ += bytes.size();
}

}  // namespace dynamics
