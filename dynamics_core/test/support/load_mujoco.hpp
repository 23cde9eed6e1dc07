// SPDX-License-Identifier: Apache-2.0
#pragma once

// Loads text (MJCF or URDF) into MuJoCo without a file.

#include <mujoco/mujoco.h>

#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>

namespace dynamics::test {

struct MujocoDeleter {
  void operator()(mjModel* model) const { mj_deleteModel(model); }
  void operator()(mjData* data) const { mj_deleteData(data); }
};
using MujocoModelPointer = std::unique_ptr<mjModel, MujocoDeleter>;
using MujocoDataPointer = std::unique_ptr<mjData, MujocoDeleter>;

/// The model of the text, with the smooth dynamics only: no contacts, limits, equality constraints
/// and dry friction. The ending of `name` (.xml, .urdf) gives the format.
inline MujocoModelPointer load_mujoco(const char* name, const std::string& text) {
  auto vfs = std::make_unique<mjVFS>();
  mj_defaultVFS(vfs.get());
  if (mj_makeEmptyFileVFS(vfs.get(), name, static_cast<int>(text.size())) != 0) {
    throw std::runtime_error(std::string("MuJoCo: no room for the text of ") + name);
  }
  std::memcpy(vfs->filedata[0], text.data(), text.size());
  char error[1000] = "";
  MujocoModelPointer model(mj_loadXML(name, vfs.get(), error, sizeof error));
  mj_deleteVFS(vfs.get());
  if (!model) throw std::runtime_error(std::string("MuJoCo: ") + error);
  model->opt.disableflags |= mjDSBL_CONSTRAINT | mjDSBL_CONTACT | mjDSBL_LIMIT | mjDSBL_EQUALITY |
                             mjDSBL_FRICTIONLOSS | mjDSBL_WARMSTART;
  return model;
}

}  // namespace dynamics::test
