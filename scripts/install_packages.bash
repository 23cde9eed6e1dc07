#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Run as root by common.bash, once for all that is missing:
#   install_packages.bash required:a 'required:b|c' optional:d
# What the distribution does not have is left out; the caller looks again and says so.
set -euo pipefail
export DEBIAN_FRONTEND=noninteractive
apt_options=(-o DPkg::Lock::Timeout=120 -o Acquire::Retries=2 -o Acquire::http::Timeout=20
  -o Acquire::https::Timeout=20)

apt-get "${apt_options[@]}" update || echo "apt-get update failed; trying the lists that are here"

candidate() {
  local choice choices
  IFS='|' read -ra choices <<<"$1"
  for choice in "${choices[@]}"; do
    if apt-cache policy "$choice" 2>/dev/null | grep 'Candidate: [0-9]' >/dev/null; then
      echo "$choice"
      return
    fi
  done
}

required=()
optional=()
for argument in "$@"; do
  package=$(candidate "${argument#*:}")
  [[ -n $package ]] || continue
  if [[ $argument == required:* ]]; then required+=("$package"); else optional+=("$package"); fi
done

install() { apt-get "${apt_options[@]}" install -y --no-install-recommends "$@"; }
if ((${#required[@]} + ${#optional[@]} == 0)); then exit 0; fi
if install "${required[@]}" "${optional[@]}"; then exit 0; fi
# one that cannot be installed must not keep the others out
if ((${#required[@]})); then install "${required[@]}"; fi
for package in "${optional[@]}"; do install "$package" || true; done
