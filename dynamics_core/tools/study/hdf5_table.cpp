// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "../command.hpp"
#include "dynamics_core/error.hpp"
#include "hdf5_functions.hpp"
#include "plugin.hpp"
#include "study_report.hpp"

namespace dynamics::tools {
namespace {

/// Writes all rows. False where the plugin fails.
bool write_columns(const DynamicsHdf5Functions& hdf5, const std::string& path, const Study& study,
                   const StudyFolder& folder) {
  std::vector<const char*> names;
  for (const auto* list : {&study.parameters(), &study.results()}) {
    for (const std::string& name : *list) names.push_back(name.c_str());
  }
  void* table = hdf5.create(path.c_str(), study.cases(), names.data(), names.size());
  if (table == nullptr) return false;
  const auto add = [&](const char* name, const std::string& text) {
    return hdf5.add_text(table, name, text.c_str());
  };
  bool good = add("robot", study.robot()) && add("instruction_set", Study::instruction_set()) &&
              add("fingerprint", fmt::format("{:016x}", study.fingerprint())) &&
              add("study", study.text());
  folder.read_rows([&](const StudyRow& row) {
    good = good && hdf5.add_row(table, row.number, !row.error.empty(), row.values.data());
  });
  return hdf5.close(table) && good;
}

}  // namespace

bool write_hdf5(const Study& study, const StudyFolder& folder) {
  const auto plugin = find_plugin("dynamics_study_hdf5.so", "DYNAMICS_STUDY_HDF5");
  if (plugin.empty()) return false;
  const auto& hdf5 =
      *static_cast<const DynamicsHdf5Functions*>(plugin_symbol(plugin, "dynamics_hdf5_functions"));
  if (hdf5.version != dynamics_hdf5_version)
    throw InputError(plugin.string() + " is of another version of this program");
  const std::string path = folder.path() + "/table.h5", temporary = path + ".part";
  const bool written = write_columns(hdf5, temporary, study, folder);
  std::error_code error;
  if (written) std::filesystem::rename(temporary, path, error);
  if (written && !error) return true;
  std::filesystem::remove(temporary, error);
  throw StateError(path, "cannot be written: the disk is full or read-only");
}

}  // namespace dynamics::tools
