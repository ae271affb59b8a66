#!/usr/bin/env bash
# Builds CommitMark for Windows on Debian 12 and runs what it built under Wine.
#
#   build.sh setup               installs the compilers and Wine, where they are missing
#   build.sh cargo ARGS...       cargo with ARGS for 64-bit Windows; what "test" and "run" start, starts under Wine
#   build.sh wine EXE ARGS...    runs a Windows program (a window needs DISPLAY)
#   build.sh lend FOLDER         puts into FOLDER the one library that Wine lacks
#
# The Rust is Debian's: it comes with the source of its own standard library, so the library can be built for
# Windows here, and nothing prebuilt has to be fetched.
set -euo pipefail
here=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
target=x86_64-pc-windows-gnu

# Wine 8 has no bcryptprimitives.dll, which every Rust program asks for its random numbers. Windows has it since
# Windows 8, so this stand-in lies beside the program for Wine alone and belongs in no download.
lend_random_numbers() {
  local folder=$1
  [[ -f $folder/bcryptprimitives.dll ]] && return
  x86_64-w64-mingw32-gcc -shared -o "$folder/bcryptprimitives.dll" "$here/wine-random.c" -ladvapi32
}

case ${1:-} in
  setup)
    "$here/../need.sh" rustc-web cargo-web rust-web-src gcc-mingw-w64-x86-64-win32 g++-mingw-w64-x86-64-win32 \
      wine wine64
    ;;
  cargo)
    command=$2
    shift 2
    PATH=/usr/bin:/bin RUSTC=/usr/bin/rustc RUSTC_BOOTSTRAP=1 \
      CARGO_TARGET_X86_64_PC_WINDOWS_GNU_LINKER=x86_64-w64-mingw32-gcc \
      CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER="$here/build.sh wine" \
      /usr/bin/cargo "$command" -Zbuild-std=std,panic_unwind --target "$target" "$@"
    ;;
  lend) lend_random_numbers "$2" ;;
  wine)
    program=$2
    shift 2
    # Wine's own programs are named without a folder, and have what they want.
    [[ $program != */* ]] || lend_random_numbers "$(dirname "$program")"
    # The override keeps Wine from asking at its first start for parts that only .NET and HTML programs want.
    WINEDEBUG=${WINEDEBUG:--all} WINEPREFIX=${WINEPREFIX:-$HOME/.wine-commitmark} WINEDLLOVERRIDES="mscoree,mshtml=" \
      wine "$program" "$@"
    ;;
  *)
    sed -n '4,7p' "$0"
    exit 2
    ;;
esac
