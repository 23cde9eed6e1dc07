// SPDX-License-Identifier: Apache-2.0
// Nothing: the target of the tests' precompiled headers needs a file.
