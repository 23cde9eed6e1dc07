// SPDX-License-Identifier: Apache-2.0
// table.h5: one dataset per column, compressed, attributes of the study. Without times of day: the
// same rows give the same bytes.

#include <fmt/format.h>
#include <hdf5.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "dynamics_core/error.hpp"
#include "study_report.hpp"

namespace dynamics::tools {
namespace {

constexpr std::size_t block = 16384;  ///< rows per chunk

/// A handle that closes itself.
class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t), const char* what) : id_(id), close_(close) {
    if (id < 0) throw StateError("table.h5", fmt::format("cannot be written ({})", what));
  }
  Handle(Handle&& other) noexcept : id_(other.id_), close_(other.close_) { other.id_ = -1; }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  Handle& operator=(Handle&&) = delete;
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  operator hid_t() const { return id_; }  // NOLINT(google-explicit-constructor)

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

void check(herr_t status) {
  if (status < 0) throw StateError("table.h5", "cannot be written: the disk is full or read-only");
}

void add_attribute(hid_t file, const char* name, const std::string& text) {
  const Handle type(H5Tcopy(H5T_C_S1), H5Tclose, "type");
  check(H5Tset_size(type, text.empty() ? 1 : text.size()));
  check(H5Tset_cset(type, H5T_CSET_UTF8));
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose, "space");
  const Handle attribute(H5Acreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose,
                         name);
  check(H5Awrite(attribute, type, text.c_str()));
}

/// A column that grows block by block.
template <class Number>
class TableColumn {
 public:
  TableColumn(hid_t file, const std::string& name, hid_t type, std::uint64_t rows)
      : type_(type), dataset_(create(file, name, type, rows)) {}
  void add(Number value) {
    values_.push_back(value);
    if (values_.size() == block) flush();
  }
  void flush() {
    if (values_.empty()) return;
    const hsize_t count = values_.size();
    const Handle file_space(H5Dget_space(dataset_), H5Sclose, "space");
    check(H5Sselect_hyperslab(file_space, H5S_SELECT_SET, &first_, nullptr, &count, nullptr));
    const Handle memory(H5Screate_simple(1, &count, nullptr), H5Sclose, "space");
    check(H5Dwrite(dataset_, type_, memory, file_space, H5P_DEFAULT, values_.data()));
    first_ += count;
    values_.clear();
  }

 private:
  static Handle create(hid_t file, std::string name, hid_t type, hsize_t rows) {
    for (char& c : name) {
      if (c == '/') c = '|';  // a slash would make a group
    }
    const hsize_t chunk = std::min<hsize_t>(rows, block);
    const Handle space(H5Screate_simple(1, &rows, nullptr), H5Sclose, "space");
    const Handle options(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "options");
    check(H5Pset_chunk(options, 1, &chunk));
    check(H5Pset_obj_track_times(options, false));
    if (H5Zfilter_avail(H5Z_FILTER_DEFLATE) > 0) {
      check(H5Pset_shuffle(options));
      check(H5Pset_deflate(options, 4));
    }
    return {H5Dcreate2(file, name.c_str(), type, space, H5P_DEFAULT, options, H5P_DEFAULT),
            H5Dclose, "dataset"};
  }
  hid_t type_;
  Handle dataset_;
  std::vector<Number> values_;
  hsize_t first_ = 0;
};

void write_columns(hid_t file, const Study& study, const StudyFolder& folder) {
  add_attribute(file, "robot", study.robot());
  add_attribute(file, "instruction_set", Study::instruction_set());
  add_attribute(file, "fingerprint", fmt::format("{:016x}", study.fingerprint()));
  add_attribute(file, "study", study.text());
  const std::uint64_t rows = study.cases();
  TableColumn<std::uint64_t> number(file, "case", H5T_NATIVE_UINT64, rows);
  TableColumn<std::uint8_t> failed(file, "failed", H5T_NATIVE_UINT8, rows);
  std::vector<TableColumn<double>> columns;
  for (const auto* names : {&study.parameters(), &study.results()}) {
    for (const std::string& name : *names)
      columns.emplace_back(file, name, H5T_NATIVE_DOUBLE, rows);
  }
  folder.read_rows([&](const StudyRow& row) {
    number.add(row.number);
    failed.add(row.error.empty() ? 0 : 1);
    for (std::size_t i = 0; i < columns.size(); ++i) columns[i].add(row.values[i]);
  });
  number.flush();
  failed.flush();
  for (TableColumn<double>& column : columns) column.flush();
}

}  // namespace

bool write_hdf5(const Study& study, const StudyFolder& folder) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // errors are reported here
  const std::string path = folder.path() + "/table.h5", temporary = path + ".part";
  try {
    const Handle file(H5Fcreate(temporary.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT),
                      H5Fclose, "file");
    write_columns(file, study, folder);
    check(H5Fflush(file, H5F_SCOPE_GLOBAL));
  } catch (...) {
    std::error_code ignored;
    std::filesystem::remove(temporary, ignored);
    throw;
  }
  std::filesystem::rename(temporary, path);
  return true;
}

}  // namespace dynamics::tools
