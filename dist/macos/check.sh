#!/usr/bin/env bash
# Type-checks CommitMark for macOS on Debian 12. Linking needs a Mac: only there can it be built and run.
#
#   check.sh setup       installs Debian's Rust, and zig in a Python environment of its own, where they are missing
#   check.sh ARGS...     cargo check with ARGS for Macs with Apple's processors
#
# SQLite's C code is really compiled, by zig, which brings the headers of macOS.
set -euo pipefail
here=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
python=${ZIG_VENV:-$HOME/.cache/commitmark-zig}/bin/python

if [[ ${1:-} == setup ]]; then
  "$here/../need.sh" rustc-web cargo-web rust-web-src python3-venv
  [[ -x $python ]] || python3 -m venv "$(dirname "$(dirname "$python")")"
  "$python" -c 'import ziglang' 2>/dev/null || "$python" -m pip install -q ziglang
  exit
fi

tools=$(mktemp -d)
trap 'rm -rf "$tools"' EXIT

# Apple's compiler is told the system in other words than zig's: those options are replaced.
cat > "$tools/cc" <<CC
#!/usr/bin/env bash
options=()
while [[ \$# -gt 0 ]]; do
  case \$1 in
    --target=*) ;;
    -arch) shift ;;
    *) options+=("\$1") ;;
  esac
  shift
done
exec "$python" -m ziglang cc -target aarch64-macos "\${options[@]}"
CC
cat > "$tools/ar" <<AR
#!/bin/sh
exec "$python" -m ziglang ar "\$@"
AR
chmod +x "$tools/cc" "$tools/ar"

PATH=/usr/bin:/bin RUSTC=/usr/bin/rustc RUSTC_BOOTSTRAP=1 SDKROOT=/ \
  CC_aarch64_apple_darwin="$tools/cc" AR_aarch64_apple_darwin="$tools/ar" \
  /usr/bin/cargo check -Zbuild-std=std,panic_unwind --target aarch64-apple-darwin "$@"
