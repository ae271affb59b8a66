#!/usr/bin/env bash
# Prints what the downloads are named and dated after.
#
#   version.sh           the version in Cargo.toml
#   version.sh epoch     the time of the last commit, in seconds since 1970: the same source makes the same files
set -euo pipefail
cd "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/.."
if [[ ${1:-} == epoch ]]; then
  # The checkout may belong to another user, as in a container, or be no checkout at all.
  echo "${SOURCE_DATE_EPOCH:-$(git -c safe.directory='*' log -1 --format=%ct 2>/dev/null || stat -c %Y Cargo.toml)}"
else
  sed -n '/^\[package\]/,/^\[/s/^version = "\(.*\)"$/\1/p' Cargo.toml
fi
