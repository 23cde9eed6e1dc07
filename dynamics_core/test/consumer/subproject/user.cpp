// SPDX-License-Identifier: Apache-2.0
// Warns on purpose, with -Wall and -Wextra, which the test sets, and with -Wsign-conversion.
unsigned user(int unused, int value) {
  int never_read = value;
  return value;
}
