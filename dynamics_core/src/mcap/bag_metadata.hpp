// SPDX-License-Identifier: Apache-2.0
#pragma once

// metadata.yaml of a rosbag2 folder with one MCAP file.

#include <string>

#include "mcap/writer.hpp"

namespace dynamics::mcap {

/// The text of metadata.yaml (version 5, which all versions of rosbag2 since Humble read) of a file
/// after Writer::close(). `file`: its name in the folder.
std::string bag_metadata(const Writer& writer, const std::string& file);

}  // namespace dynamics::mcap
