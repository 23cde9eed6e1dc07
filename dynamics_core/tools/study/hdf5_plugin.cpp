// SPDX-License-Identifier: Apache-2.0
// The plugin that writes table.h5: one dataset per column, compressed. Without times of day: the
// same rows give the same bytes.

#include <hdf5.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "hdf5_functions.hpp"

namespace {

constexpr std::size_t block = 16384;  ///< rows per chunk

/// A handle that closes itself.
class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {
    if (id < 0) throw std::runtime_error("HDF5");
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
  if (status < 0) throw std::runtime_error("HDF5");
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
    const Handle file_space(H5Dget_space(dataset_), H5Sclose);
    check(H5Sselect_hyperslab(file_space, H5S_SELECT_SET, &first_, nullptr, &count, nullptr));
    const Handle memory(H5Screate_simple(1, &count, nullptr), H5Sclose);
    check(H5Dwrite(dataset_, type_, memory, file_space, H5P_DEFAULT, values_.data()));
    first_ += count;
    values_.clear();
  }

 private:
  static Handle create(hid_t file, std::string name, hid_t type, hsize_t rows) {
    std::replace(name.begin(), name.end(), '/', '|');  // a slash would make a group
    const hsize_t chunk = std::min<hsize_t>(rows, block);
    const Handle space(H5Screate_simple(1, &rows, nullptr), H5Sclose);
    const Handle options(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    check(H5Pset_chunk(options, 1, &chunk));
    check(H5Pset_obj_track_times(options, false));
    if (H5Zfilter_avail(H5Z_FILTER_DEFLATE) > 0) {
      check(H5Pset_shuffle(options));
      check(H5Pset_deflate(options, 4));
    }
    return {H5Dcreate2(file, name.c_str(), type, space, H5P_DEFAULT, options, H5P_DEFAULT),
            H5Dclose};
  }
  hid_t type_;
  Handle dataset_;
  std::vector<Number> values_;
  hsize_t first_ = 0;
};

struct Table {
  Table(const char* path, std::uint64_t rows, const char* const* names, std::uint64_t count)
      : file(H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose),
        number(file, "case", H5T_NATIVE_UINT64, rows),
        failed(file, "failed", H5T_NATIVE_UINT8, rows) {
    for (std::uint64_t i = 0; i < count; ++i)
      columns.emplace_back(file, names[i], H5T_NATIVE_DOUBLE, rows);
  }
  void flush() {
    number.flush();
    failed.flush();
    for (TableColumn<double>& column : columns) column.flush();
    check(H5Fflush(file, H5F_SCOPE_GLOBAL));
  }
  Handle file;
  TableColumn<std::uint64_t> number;
  TableColumn<std::uint8_t> failed;
  std::vector<TableColumn<double>> columns;
};

/// No exception leaves the plugin.
template <class Function>
bool succeeds(Function&& f) {
  try {
    f();
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

void* create(const char* path, std::uint64_t rows, const char* const* names,
             std::uint64_t columns) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // the program reports errors
  std::unique_ptr<Table> table;
  succeeds([&] { table = std::make_unique<Table>(path, rows, names, columns); });
  return table.release();
}

bool add_text(void* table, const char* name, const char* text) {
  return succeeds([&] {
    const hid_t file = static_cast<Table*>(table)->file;
    const Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
    check(H5Tset_size(type, std::max<std::size_t>(1, std::strlen(text))));
    check(H5Tset_cset(type, H5T_CSET_UTF8));
    const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
    const Handle attribute(H5Acreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
    check(H5Awrite(attribute, type, text));
  });
}

bool add_row(void* table, std::uint64_t number, bool failed, const double* values) {
  return succeeds([&] {
    auto& into = *static_cast<Table*>(table);
    into.number.add(number);
    into.failed.add(failed ? 1 : 0);
    for (TableColumn<double>& column : into.columns) column.add(*values++);
  });
}

bool close(void* table) {
  const std::unique_ptr<Table> owned(static_cast<Table*>(table));
  return succeeds([&] { owned->flush(); });
}

}  // namespace

extern "C" __attribute__((visibility("default")))
const DynamicsHdf5Functions dynamics_hdf5_functions;
const DynamicsHdf5Functions dynamics_hdf5_functions = {dynamics_hdf5_version, create, add_text,
                                                       add_row, close};
