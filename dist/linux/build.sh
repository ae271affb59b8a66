#!/usr/bin/env bash
# Builds the Linux program so that it also starts on systems from 2020 on: against glibc 2.31, as Debian 11 has it.
#
#   build.sh setup         installs zig and cargo-zigbuild, in a Python environment of their own
#   build.sh               builds, checks, and prints where the program is
#   build.sh check FILE    only checks that FILE asks for nothing newer
#
# zig brings the stubs of every glibc and links against the one that is named.
set -euo pipefail
here=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
oldest=2.31
venv=${ZIGBUILD_VENV:-$HOME/.cache/commitmark-zigbuild}

check() {
  local newest
  newest=$(objdump -T "$1" | grep -o 'GLIBC_[0-9.]*' | sort -Vu | tail -1)
  newest=${newest#GLIBC_}
  [[ $(printf '%s\n' "$oldest" "$newest" | sort -V | tail -1) == "$oldest" ]] || {
    echo "build.sh: this wants glibc $newest, and was to start with $oldest: $1" >&2
    objdump -T "$1" | grep -F "GLIBC_$newest" >&2
    exit 1
  }
}

case ${1:-} in
  setup)
    "$here/../need.sh" binutils python3-venv
    [[ -x $venv/bin/python ]] || python3 -m venv "$venv"
    [[ -x $venv/bin/cargo-zigbuild ]] || "$venv/bin/python" -m pip install -q cargo-zigbuild
    ;;
  check) check "$2" ;;
  '')
    cd "$here/../.."
    target=$(rustc -vV | sed -n 's/^host: //p')
    PATH=$venv/bin:$PATH cargo zigbuild --release --locked --bins --target "$target.$oldest" >&2
    program=${CARGO_TARGET_DIR:-$PWD/target}/$target/release/commitmark
    check "$program"
    # The flags for SQLite's C code must have reached zig too.
    "$program" info --json | grep -q '"sync_call": *"fdatasync"' ||
      { echo "build.sh: SQLite was not built with fdatasync: $program" >&2; exit 1; }
    echo "$program"
    ;;
  *) sed -n '4,6p' "$0" >&2; exit 2 ;;
esac
