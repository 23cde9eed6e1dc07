# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Functions shared by ./run and ./test: messages, packages, ROS 2, the colcon build.
# Exit codes of both: 0 success, 1 a build or a test failed, 2 wrong arguments or input,
# 3 Debian packages are missing and could not be installed.

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
command_name=$(basename -- "$0")
spinner=

# ---- messages ------------------------------------------------------------------------------

say() { printf '%s\n' "$*"; }
complain() { printf '%s: %s\n' "$command_name" "$*" >&2; }
stop() {
  local code=$1
  shift
  complain "$@"
  exit "$code"
}

end_spinner() {
  [[ -n $spinner ]] || return 0
  kill -KILL "$spinner" 2>/dev/null || true
  spinner=
  if [[ -t 1 ]]; then printf '\r\033[K'; fi
}
trap end_spinner EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# Prints the last "[12/80]" or " 3/31 Test" of a log: the progress.
progress_of() {
  tail -c 20000 -- "$1" 2>/dev/null |
    grep -aoE '^\[ *[0-9]+%\]|^\[[0-9]+/[0-9]+\]|^ *[0-9]+/[0-9]+ Test' | tail -n 1 |
    sed -E 's/ Test//; s/[][]//g; s/^ +//' || true
}

show_progress() { # LABEL LOG
  local started=$SECONDS marks='-+*+' turn=0 next=2
  while sleep 0.3 && kill -0 $$ 2>/dev/null; do
    local elapsed=$((SECONDS - started))
    if [[ -t 1 ]]; then
      printf '\r\033[K%s %s %s (%d s)' "${marks:turn++%4:1}" "$1" "$(progress_of "$2")" "$elapsed"
    elif ((elapsed >= next)); then
      printf '  %s ... %s (%d s)\n' "$1" "$(progress_of "$2")" "$elapsed"
      next=$((elapsed + 30))
    fi
  done
}

# step LABEL LOG COMMAND...: runs the command with its output in LOG, shows the progress, and
# prints one line at the end. Returns the exit status of the command.
step() {
  local label=$1 log=$2 status=0 started=$SECONDS
  shift 2
  mkdir -p -- "$(dirname -- "$log")"
  : >"$log"
  show_progress "$label" "$log" &
  spinner=$!
  disown "$spinner" # no message from the shell when it is killed
  "$@" >"$log" 2>&1 </dev/null || status=$?
  end_spinner
  if ((status == 0)); then
    say "$label: done ($((SECONDS - started)) s)"
  else
    say "$label: failed ($((SECONDS - started)) s)"
  fi
  return "$status"
}

show_tail() { # LOG
  say "--- last lines of $1"
  tail -n 40 -- "$1"
  say "---"
}

# ---- Debian packages -----------------------------------------------------------------------

# Debian's colcon needs its extensions as separate packages; other installations include them.
has_command() {
  if [[ $1 == colcon ]] && dpkg-query -W -f='${db:Status-Abbrev}' colcon 2>/dev/null | grep '^.i' >/dev/null
  then
    return 1
  fi
  if [[ $1 == chromium ]]; then
    command -v chromium || command -v chromium-browser || command -v google-chrome
  else
    command -v "$1"
  fi >/dev/null
}

# Reads packages.txt: sets missing_required and missing_optional for these groups.
find_missing() { # GROUP...
  missing_required=()
  missing_optional=()
  local group package options option wanted=" $* " specs=() flags=()
  while read -r group package options; do
    [[ -n $group && $group != \#* && $wanted == *" $group "* ]] || continue
    for option in $options; do
      if [[ $option == unless=* ]] && has_command "${option#unless=}"; then continue 2; fi
    done
    specs+=("$package")
    flags+=("$options")
  done <"$root/scripts/packages.txt"
  for package in "${ros_debian_packages[@]}"; do
    specs+=("$package")
    flags+=(optional)
  done
  ((${#specs[@]})) || return 0

  local names installed i name found
  mapfile -t names < <(printf '%s\n' "${specs[@]}" | tr '|' '\n')
  installed=$(dpkg-query -W -f='${db:Status-Abbrev} ${Package}\n' "${names[@]}" 2>/dev/null |
    sed -n 's/^.i *//p') || true
  for i in "${!specs[@]}"; do
    found=
    for name in ${specs[i]//|/ }; do
      if [[ $'\n'"$installed"$'\n' == *$'\n'"$name"$'\n'* ]]; then found=1; fi
    done
    if [[ -n $found ]]; then continue; fi
    if [[ ${flags[i]} == *optional* ]]; then
      missing_optional+=("${specs[i]}")
    else
      missing_required+=("${specs[i]}")
    fi
  done
  # the colcon of ROS 2's repository conflicts with Debian's packages
  if [[ " ${missing_required[*]} " == *" colcon "* ]] &&
    apt-cache policy python3-colcon-common-extensions 2>/dev/null |
    grep 'Candidate: [0-9]' >/dev/null; then
    local others=(python3-colcon-common-extensions)
    for name in "${missing_required[@]}"; do
      if [[ $name != *colcon* ]]; then others+=("$name"); fi
    done
    missing_required=("${others[@]}")
  fi
}

# Installs the missing packages of these groups. Optional packages that are not available are
# remembered in build/, so that they are not tried again until the list or apt's sources change.
ensure_packages() { # GROUP...
  if ! command -v dpkg-query >/dev/null; then
    say "Not Debian or Ubuntu: the packages of scripts/packages.txt must already be installed."
    return
  fi
  local memory=$root/build/.unavailable-packages package
  find_missing "$@"
  if [[ -e $memory ]]; then
    if [[ -n $(find "$root/scripts/packages.txt" /etc/apt/sources.list /etc/apt/sources.list.d \
      -newer "$memory" 2>/dev/null) ]]; then
      rm -f -- "$memory"
    else
      local fresh=() remembered=()
      for package in "${missing_optional[@]}"; do
        if grep -qxF -- "$package" "$memory"; then
          remembered+=("$package")
        else
          fresh+=("$package")
        fi
      done
      missing_optional=("${fresh[@]}")
      if ((${#remembered[@]} && ${#missing_required[@]} + ${#missing_optional[@]} == 0)); then
        say "Continuing without ${remembered[*]} (not available before)."
      fi
    fi
  fi
  if ((${#missing_required[@]} + ${#missing_optional[@]} == 0)); then return; fi

  local log=$root/log/packages.log as_root=() wanted=()
  for package in "${missing_required[@]}"; do wanted+=("required:$package"); done
  for package in "${missing_optional[@]}"; do wanted+=("optional:$package"); done
  if ((EUID != 0)); then
    if ! command -v sudo >/dev/null; then
      as_root=(false)
    elif [[ -t 0 ]]; then
      say "Debian packages are missing: ${missing_required[*]} ${missing_optional[*]}"
      # ask for the password before the output goes to a log
      if sudo -v; then as_root=(sudo); else as_root=(false); fi
    else
      as_root=(sudo -n)
    fi
  fi
  local plural=s
  if ((${#wanted[@]} == 1)); then plural=; fi
  step "Installing ${#wanted[@]} Debian package$plural" "$log" \
    "${as_root[@]}" bash "$root/scripts/install_packages.bash" "${wanted[@]}" || true

  find_missing "$@"
  hash -r
  if ((${#missing_optional[@]})); then
    say "Not available, continuing without ${missing_optional[*]}."
    mkdir -p -- "$root/build"
    printf '%s\n' "${missing_optional[@]}" >>"$memory"
  fi
  if ((${#missing_required[@]})); then
    complain "these Debian packages are missing and could not be installed" \
      "(no network, or no permission; see $log):"
    printf '  %s\n' "${missing_required[@]}" >&2
    complain "as root: apt-get install ${missing_required[*]%%|*}"
    exit 3
  fi
}

# ---- ROS 2 ---------------------------------------------------------------------------------

ros_distro=
ros_obstacle='ROS 2 is not installed'
ros_debian_packages=()

has_ros_package() { # NAME
  local prefix prefixes
  IFS=: read -ra prefixes <<<"${AMENT_PREFIX_PATH:-}"
  for prefix in "${prefixes[@]}"; do
    if [[ -n $prefix && -e $prefix/share/$1/package.xml ]]; then return 0; fi
  done
  return 1
}

# Finds a sourced ROS 2, or the newest in /opt/ros. Sets ros_distro, or ros_obstacle.
find_ros() {
  local setup newest=
  if [[ ${DYNAMICS_NO_ROS:-} == 1 ]]; then
    ros_obstacle='ROS 2 is ignored (DYNAMICS_NO_ROS=1)'
    return
  fi
  if [[ -z ${ROS_DISTRO:-} ]] || ! has_ros_package rclcpp; then
    for setup in /opt/ros/*/setup.bash; do
      if [[ -e ${setup%/*}/share/rclcpp/package.xml ]]; then newest=$setup; fi
    done
    [[ -n $newest ]] || return 0
    set +u
    # shellcheck disable=SC1090
    source "$newest"
    set -u
  fi
  case $ROS_DISTRO in
  foxy | galactic | humble | iron)
    ros_obstacle="ROS 2 $ROS_DISTRO is too old, jazzy or later is required"
    ;;
  *) ros_distro=$ROS_DISTRO ;;
  esac
}

# ---- our packages --------------------------------------------------------------------------

declare -A package_folder package_obstacle
package_names=()

tag_of() { sed -n "s|.*<$2[^>]*>\([^<]*\)</$2>.*|\1|p" "$1/package.xml"; }
is_ament() { [[ $(tag_of "${package_folder[$1]}" build_type) == ament_* ]]; } # PACKAGE
# An ament package that finds ament_cmake with QUIET can be built without ROS 2.
needs_ros() { # PACKAGE
  is_ament "$1" && ! grep -qs 'find_package(ament_cmake QUIET)' "${package_folder[$1]}/CMakeLists.txt"
}
# An optional dependency has condition="$DYNAMICS_WITHOUT_OPTIONAL != 1"
dependencies_of() { # FOLDER build|test [required]: names in its package.xml
  local kinds='depend|build_depend|buildtool_depend|build_export_depend|exec_depend' skip=
  if [[ $2 == test ]]; then kinds+='|test_depend'; fi
  if [[ ${3:-} == required ]]; then skip='/condition=".DYNAMICS_WITHOUT_OPTIONAL /d;'; fi
  sed -nE "$skip s/.*<($kinds)( [^>]*)?>([^<]*)<.*/\3/p" "$1/package.xml" | sort -u
}

# Finds every folder with a package.xml, and the ROS 2 packages that are missing for them.
find_packages() { # build|test
  local file folder name key
  local -A known=() asked=()
  for file in "$root"/*/package.xml; do
    folder=$(dirname -- "$file")
    name=$(tag_of "$folder" name)
    package_names+=("$name")
    package_folder[$name]=$folder
  done
  [[ -n $ros_distro ]] || return 0
  while read -r key; do known[$key]=1; done < <(sed -n 's/^[a-z].*rosdep=\([^ ]*\).*/\1/p' \
    "$root/scripts/packages.txt")
  for name in "${package_names[@]}"; do
    is_ament "$name" || continue
    while read -r key; do
      if [[ -z ${known[$key]:-}${package_folder[$key]:-}${asked[$key]:-} ]] &&
        ! has_ros_package "$key"; then
        asked[$key]=1
        ros_debian_packages+=("ros-$ros_distro-${key//_/-}")
      fi
    done < <(dependencies_of "${package_folder[$name]}" "$1")
  done
}

# After the installation: finds which of our packages cannot be built here, and why.
find_obstacles() {
  local name key absent node changed=1 package
  for name in "${package_names[@]}"; do
    if is_ament "$name"; then
      if [[ -z $ros_distro ]]; then
        if needs_ros "$name"; then package_obstacle[$name]=$ros_obstacle; fi
        continue
      fi
      absent=()
      for package in "${ros_debian_packages[@]}"; do
        key=${package#ros-"$ros_distro"-}
        key=${key//-/_}
        if dependencies_of "${package_folder[$name]}" test required |
          grep -xF -- "$key" >/dev/null &&
          ! has_ros_package "$key"; then
          absent+=("$key")
        fi
      done
      if ((${#absent[@]})); then
        package_obstacle[$name]="not installed in ROS 2 $ros_distro: ${absent[*]}"
      fi
    elif [[ -e ${package_folder[$name]}/package.json ]]; then
      if ! command -v npm >/dev/null || ! command -v node >/dev/null; then
        package_obstacle[$name]='npm is not installed'
      else
        node=$(node --version)
        node=${node#v}
        if ((${node%%.*} < 18)); then
          package_obstacle[$name]="Node.js $node is too old, 18 or later is required"
        fi
      fi
    fi
  done
  while [[ -n $changed ]]; do
    changed=
    for name in "${package_names[@]}"; do
      if [[ -n ${package_obstacle[$name]:-} ]]; then continue; fi
      while read -r key; do
        if [[ -n ${package_folder[$key]:-} && -n ${package_obstacle[$key]:-} ]]; then
          package_obstacle[$name]="needs $key: ${package_obstacle[$key]}"
          changed=1
        fi
      done < <(dependencies_of "${package_folder[$name]}" build required)
    done
  done
}

# ---- building ------------------------------------------------------------------------------

# Two gigabytes per compiler, at most one compiler per processor.
job_count() {
  local jobs memory
  jobs=$(nproc)
  memory=$(awk '/MemAvailable/ { print int($2 / 2000000) }' /proc/meminfo 2>/dev/null || echo 1)
  if ((memory < jobs)); then jobs=$memory; fi
  echo "$((jobs > 0 ? jobs : 1))"
}

prepare_environment() {
  local node
  node=$(command -v node) || node=
  # packages of Debian and ROS 2 belong to the system's Python
  if [[ -z ${CONDA_PREFIX:-} || ${AMENT_PREFIX_PATH:-} != *"$CONDA_PREFIX"* ]]; then
    PATH=/usr/bin:$PATH
  fi
  # but use the caller's Node.js: version managers install it in a separate folder
  if [[ -n $node && ! -e ${node%/*}/python3 ]]; then PATH=${node%/*}:$PATH; fi
  jobs=$(job_count)
  export CMAKE_BUILD_PARALLEL_LEVEL=$jobs
  # applies to new build folders only: CMake keeps the generator of an existing one
  if [[ -z ${CMAKE_GENERATOR:-} ]] && command -v ninja >/dev/null; then
    export CMAKE_GENERATOR=Ninja
  fi
  compiler_launcher=()
  if command -v ccache >/dev/null; then
    # share compiled objects between checkouts
    export CCACHE_BASEDIR=${CCACHE_BASEDIR:-$root} CCACHE_NOHASHDIR=1
    # ccache requires this for files that use precompiled headers
    export CCACHE_SLOPPINESS=${CCACHE_SLOPPINESS:-pch_defines,time_macros}
    compiler_launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
  fi
  # set by .ci/run only: a user's newer compiler may have more warnings
  warnings_as_errors=-DDYNAMICS_WARNINGS_AS_ERRORS=${DYNAMICS_WARNINGS_AS_ERRORS:-OFF}
}

run_colcon() { (cd -- "$root" && colcon --log-base log "$@"); }

# Builds these packages into build/ and install/. Sets failed_packages.
without_tests=() # packages built without tests in any case
papers=ON # DYNAMICS_BUILD_PAPERS of dynamics_core
build_packages() { # ON|OFF (tests)  PACKAGE...
  local testing=$1 name folders=() again=() status=0 latest memory=$root/build/.ros-distro metas=()
  shift
  failed_packages=()
  (($#)) || return 0
  if ((${#without_tests[@]})); then
    mkdir -p -- "$root/build"
    printf 'names:\n' >"$root/build/.without-tests.meta"
    printf '  %s: {cmake-args: [-DBUILD_TESTING=OFF]}\n' "${without_tests[@]}" \
      >>"$root/build/.without-tests.meta"
    metas=(--metas "$root/build/.without-tests.meta")
  fi
  for name in "$@"; do
    folders+=("${package_folder[$name]}")
    # ROS 2 was installed or removed since: configure again
    if is_ament "$name" && [[ $(cat -- "$memory" 2>/dev/null) != "$ros_distro" ]]; then
      again=(--cmake-force-configure)
    fi
  done
  find "$root/log" -maxdepth 1 -type d -name '*_20*' -mtime +7 -exec rm -rf {} + 2>/dev/null || true
  step "Building $*" "$root/log/build.log" run_colcon build \
    --paths "${folders[@]}" --packages-select "$@" --build-base build --install-base install \
    --executor sequential --continue-on-error --event-handlers console_direct+ \
    "${metas[@]}" "${again[@]}" --cmake-args -DCMAKE_BUILD_TYPE=Release \
    "-DBUILD_TESTING=$testing" "-DDYNAMICS_BUILD_BENCHMARKS=$testing" \
    "-DDYNAMICS_BUILD_PAPERS=$papers" "$warnings_as_errors" "${compiler_launcher[@]}" || status=$?
  if ((${#again[@]})); then echo "$ros_distro" >"$memory"; fi
  if ((status == 0)); then return 0; fi
  latest=$(readlink -f -- "$root/log/latest_build") || latest=$root/log
  for name in "$@"; do
    if grep -qE "^Finished +<<< $name( |$)" "$root/log/build.log"; then continue; fi
    failed_packages+=("$name")
    if grep -qE "^Failed +<<< $name( |$)" "$root/log/build.log"; then
      show_tail "$latest/$name/stdout_stderr.log"
    fi
  done
  if ((${#failed_packages[@]} == 0)); then # colcon itself failed
    failed_packages=("$@")
    show_tail "$root/log/build.log"
  fi
  return "$status"
}
