// SPDX-License-Identifier: Apache-2.0
// Empty: the target of the tests' precompiled headers needs a source file.
