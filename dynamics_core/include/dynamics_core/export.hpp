// SPDX-License-Identifier: Apache-2.0
#pragma once

// Symbols are hidden unless their declaration is in a namespace that is marked like this:
//
//   namespace DYNAMICS_CORE_PUBLIC dynamics { ... }

/// Marks a namespace whose symbols are exported.
#define DYNAMICS_CORE_PUBLIC [[gnu::visibility("default")]]
