// SPDX-License-Identifier: Apache-2.0
#include "study_report.hpp"

namespace dynamics::tools {

bool write_hdf5(const Study&, const StudyFolder&) { return false; }

}  // namespace dynamics::tools
