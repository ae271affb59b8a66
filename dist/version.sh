#!/usr/bin/env bash
# Prints what the downloads are named and dated after.
#
#   version.sh           the version in Cargo.toml
#   version.sh epoch     the time of the last commit, in seconds since 1970: the same source makes the same files
set -euo pipefail
cd "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/.."
if [[ ${1:-} == epoch ]]; then
  echo "${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}"
else
  sed -n '/^\[package\]/,/^\[/s/^version = "\(.*\)"$/\1/p' Cargo.toml
fi
