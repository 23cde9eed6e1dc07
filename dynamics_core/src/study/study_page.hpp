// SPDX-License-Identifier: Apache-2.0
#pragma once

// The page of a study: study_page.html with the data in place of its marker.

namespace dynamics::study {

extern const char* const page_template;
inline constexpr const char* page_marker = "__DYNAMICS_STUDY__";

}  // namespace dynamics::study
