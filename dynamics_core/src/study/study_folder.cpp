// SPDX-License-Identifier: Apache-2.0
// The folder of a study:
//
//   study.yaml      the description
//   study.json      fingerprint, instruction set, number of cases, folder of the description
//   rows/*.rows     logs
//   table.csv       rows in case order; summary.json, page.html

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <queue>
#include <sstream>

#include "base/replaced_file.hpp"
#include "dynamics_core/error.hpp"
#include "study/study_log.hpp"
#include "study/study_summary.hpp"

namespace dynamics {
namespace {

namespace fs = std::filesystem;

std::string read_text(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) throw StateError(path.string(), "cannot be read");
  return text.str();
}

std::string manifest_of(const Study& study, const std::string& directory) {
  const nlohmann::ordered_json manifest = {
      {"format", "dynamics-study"},
      {"version", 1},
      {"robot", study.robot()},
      {"directory", directory},
      {"cases", study.cases()},
      {"fingerprint", fmt::format("{:016x}", study.fingerprint())},
      {"instruction_set", Study::instruction_set()},
      {"parameters", study.parameters()},
      {"results", study.results()}};
  return manifest.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

/// Refuses the folder of another study.
void check_manifest(const fs::path& path, const Study& study) {
  const auto manifest = nlohmann::json::parse(read_text(path / "study.json"), nullptr, false);
  if (!manifest.is_object() || manifest.value("format", "") != "dynamics-study")
    throw ArgumentError((path / "study.json").string(), "is not the file of a study");
  if (manifest.value("fingerprint", "") != fmt::format("{:016x}", study.fingerprint())) {
    const bool same_text =
        fs::exists(path / "study.yaml") && read_text(path / "study.yaml") == study.text();
    throw ArgumentError(
        path.string(),
        same_text ? "belongs to the same description with another robot, other files or another "
                    "version of the library: give another --output"
                  : "belongs to another study, or the description was changed since (see its "
                    "study.yaml): give another --output");
  }
  const std::string instructions = manifest.value("instruction_set", "");
  if (instructions != Study::instruction_set()) {
    throw ArgumentError(
        path.string(),
        fmt::format("has rows computed with {}, this process uses {}: the rows of a table must "
                    "come from one instruction set (DYNAMICS_ISA)",
                    instructions, Study::instruction_set()));
  }
}

/// Quotes for CSV where necessary.
std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"') result += '"';
    result += c == '\n' || c == '\r' ? ' ' : c;
  }
  return result + "\"";
}

}  // namespace

StudyFolder::StudyFolder(std::string path, const Study& study, const StudyFolderOptions& options)
    : path_(std::move(path)), study_(study) {
  const fs::path folder(path_);
  std::error_code error;
  if (fs::exists(folder, error) && !fs::is_directory(folder, error))
    throw ArgumentError(path_, "is a file: name a folder");
  if (fs::exists(folder / "study.json", error)) {
    check_manifest(folder, study);
  } else {
    if (fs::exists(folder, error) && !fs::is_empty(folder, error) &&
        !fs::exists(folder / "rows", error))
      throw ArgumentError(path_, "is not empty and holds no study: name a new folder");
    fs::create_directories(folder / "rows", error);
    if (error) throw StateError(path_, "cannot be created: " + error.message());
    write_file((folder / "study.yaml").string(), study.text());
    write_file((folder / "study.json").string(), manifest_of(study, options.directory));
  }
  fs::create_directories(folder / "rows", error);
  if (options.rows == StudyFolderOptions::Rows::keep) return;
  for (const std::string& log : logs()) {
    if (fs::path(log).filename().string().starts_with(options.part))
      throw ArgumentError(path_, "has rows already: continue with --resume, or name a new folder");
  }
}

std::string StudyFolder::description(const std::string& path) {
  std::error_code error;
  if (!fs::exists(fs::path(path) / "study.yaml", error))
    throw ArgumentError(path, "is not the folder of a study: it has no study.yaml");
  return read_text(fs::path(path) / "study.yaml");
}

std::string StudyFolder::directory(const std::string& path) {
  std::error_code error;
  const fs::path file = fs::path(path) / "study.json";
  if (!fs::exists(file, error))
    throw ArgumentError(path, "is not the folder of a study: it has no study.json");
  const auto manifest = nlohmann::json::parse(read_text(file), nullptr, false);
  if (!manifest.is_object() || manifest.value("format", "") != "dynamics-study")
    throw ArgumentError(file.string(), "is not the file of a study");
  return manifest.value("directory", "");
}

std::vector<std::string> StudyFolder::logs() const {
  std::vector<std::string> result;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(fs::path(path_) / "rows", error)) {
    if (entry.path().extension() == ".rows") result.push_back(entry.path().string());
  }
  if (error) throw StateError(path_ + "/rows", "cannot be read: " + error.message());
  std::sort(result.begin(), result.end());
  return result;
}

StudyLog StudyFolder::open_log(const std::string& part) const {
  for (int attempt = 1;; ++attempt) {
    const fs::path path = fs::path(path_) / "rows" / fmt::format("{}.{:04}.rows", part, attempt);
    std::error_code error;
    if (fs::exists(path, error)) continue;
    try {
      return {path.string(), study_};
    } catch (const StateError&) {
      if (!fs::exists(path, error)) throw;  // else another process has just created it
    }
  }
}

std::vector<bool> StudyFolder::done(std::uint64_t first, std::uint64_t last) const {
  std::vector<bool> result(last - first, false);
  for (const std::string& log : logs()) {
    study::LogReader reader(log, study_);
    while (reader.next_number()) {
      const std::uint64_t number = reader.row().number;
      if (number >= first && number < last) result[number - first] = true;
    }
  }
  return result;
}

std::uint64_t StudyFolder::read_rows(const std::function<void(const StudyRow&)>& row,
                                     std::vector<std::uint64_t>* missing) const {
  std::vector<study::LogReader> readers;
  for (const std::string& log : logs()) {
    study::LogReader reader(log, study_);
    if (reader.next()) readers.push_back(std::move(reader));
  }
  const auto later = [&](std::size_t a, std::size_t b) {
    return readers[a].row().number > readers[b].row().number;
  };
  std::priority_queue<std::size_t, std::vector<std::size_t>, decltype(later)> queue(later);
  for (std::size_t i = 0; i < readers.size(); ++i) queue.push(i);
  std::uint64_t next = 0, absent = 0;
  constexpr std::size_t most_listed = 5;
  const auto skip_to = [&](std::uint64_t number) {
    absent += number - next;
    for (; missing != nullptr && next < number && missing->size() < most_listed; ++next)
      missing->push_back(next);
    next = number;
  };
  while (!queue.empty()) {
    const std::size_t i = queue.top();
    queue.pop();
    const StudyRow& current = readers[i].row();
    const std::uint64_t number = current.number;
    if (number >= next && number < study_.cases()) {  // below: two processes computed the same case
      skip_to(number);
      row(current);
      next = number + 1;
    }
    if (!readers[i].next()) continue;
    if (readers[i].row().number <= number)
      throw StateError(path_, fmt::format("a log is not in case order after case {}", number));
    queue.push(i);
  }
  skip_to(study_.cases());
  return absent;
}

StudySummary StudyFolder::write_table() const {
  ReplacedFile file(path_ + "/table.csv");
  std::FILE* out = std::fopen(file.path().c_str(), "wbe");
  if (out == nullptr) throw StateError(path_ + "/table.csv", "cannot be written");
  const std::string instructions = Study::instruction_set();
  study::SummaryBuilder summary(study_);
  const std::string header = study_csv_header(study_);
  std::fwrite(header.data(), 1, header.size(), out);
  std::vector<std::uint64_t> missing;
  std::uint64_t absent = 0;
  try {
    absent = read_rows(
        [&](const StudyRow& row) {
          const std::string line = study_csv_row(row, instructions);
          std::fwrite(line.data(), 1, line.size(), out);
          summary.add(row);
        },
        &missing);
  } catch (...) {
    std::fclose(out);
    throw;
  }
  const bool failed = std::ferror(out) != 0;
  if (std::fclose(out) != 0 || failed)
    throw StateError(path_ + "/table.csv", "cannot be written: the disk is full or read-only");
  if (absent > 0) {
    throw StateError(path_, fmt::format("{} of {} cases are missing (case {}{}): run the missing "
                                        "parts, or continue with --resume",
                                        absent, study_.cases(), fmt::join(missing, ", "),
                                        absent > missing.size() ? ", ..." : ""));
  }
  file.commit();
  return summary.finish();
}

std::string study_csv_header(const Study& study) {
  std::string line = "case";
  for (const auto* names : {&study.parameters(), &study.results()}) {
    for (const std::string& name : *names) line.append(",").append(csv_cell(name));
  }
  return line + ",instruction_set,status\n";
}

std::string study_csv_row(const StudyRow& row, std::string_view instruction_set) {
  fmt::memory_buffer line;
  fmt::format_to(std::back_inserter(line), "{}", row.number);
  for (const double value : row.values) fmt::format_to(std::back_inserter(line), ",{:.17g}", value);
  fmt::format_to(std::back_inserter(line), ",{},{}\n", instruction_set,
                 row.error.empty() ? "ok" : csv_cell(row.error));
  return fmt::to_string(line);
}

}  // namespace dynamics
