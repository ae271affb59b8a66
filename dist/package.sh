#!/usr/bin/env bash
# Builds every download that this system can make, puts them into OUT, and writes their SHA256SUMS.
#
#   package.sh OUT [linux] [windows] [macos]     without a name: Debian makes linux and windows, a Mac makes macos
#
# The scripts it calls also run by themselves, each with a program that is built already.
set -euo pipefail
cd "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/.."
[[ $# -ge 1 ]] || { sed -n '4p' "$0" >&2; exit 2; }
mkdir -p "$1"
out=$(realpath "$1")
shift
target=${CARGO_TARGET_DIR:-$PWD/target}
if [[ $# -eq 0 ]]; then
  if [[ $(uname) == Darwin ]]; then set -- macos; else set -- linux windows; fi
fi

for system in "$@"; do
  case $system in
    linux)
      dist/linux/build.sh setup
      program=$(dist/linux/build.sh)
      dist/linux/package.sh "$program" "$out"
      ;;
    windows)
      dist/windows/build.sh setup
      CARGO_TARGET_DIR=$target/windows dist/windows/build.sh cargo build --release --locked --bins
      dist/windows/package.sh "$target/windows/x86_64-pc-windows-gnu/release/commitmark.exe" "$out"
      ;;
    macos)
      # The oldest system that Info.plist names.
      export MACOSX_DEPLOYMENT_TARGET=11.0
      programs=()
      for mac in aarch64-apple-darwin x86_64-apple-darwin; do
        rustup target add "$mac"
        cargo build --release --locked --bins --target "$mac"
        programs+=("$target/$mac/release/commitmark")
      done
      dist/macos/bundle.sh "$out" "${programs[@]}"
      ;;
    *) echo "package.sh: there are no downloads for: $system" >&2; exit 2 ;;
  esac
done
dist/sums.sh "$out"
