#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs Debian packages. Run as root by common.bash, once for all missing packages:
#   install_packages.bash required:a 'required:b|c' optional:d
# Packages that the distribution does not have are skipped; the caller reports them.
set -euo pipefail
export DEBIAN_FRONTEND=noninteractive
apt_options=(-o DPkg::Lock::Timeout=120 -o Acquire::Retries=2 -o Acquire::http::Timeout=20
  -o Acquire::https::Timeout=20)

apt-get "${apt_options[@]}" update || echo "apt-get update failed; using the existing package lists"

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
# a package that cannot be installed must not block the others
if ((${#required[@]})); then install "${required[@]}"; fi
for package in "${optional[@]}"; do install "$package" || true; done
