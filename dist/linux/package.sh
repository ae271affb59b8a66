#!/usr/bin/env bash
# Makes the Linux downloads from a program that is built: .deb, .rpm and .tar.gz. Runs on Debian 12.
#
#   package.sh PROGRAM OUT
#
# With COMMITMARK_QUICK set it compresses little, for a try.
set -euo pipefail
here=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
root=$(realpath "$here/../..")
"$here/../need.sh" binutils dpkg-dev rpm librsvg2-bin help2man python3
mkdir -p "$2"
program=$(realpath "$1") out=$(realpath "$2")
version=$("$root/dist/version.sh")
SOURCE_DATE_EPOCH=$("$root/dist/version.sh" epoch)
export SOURCE_DATE_EPOCH

case $(readelf -h "$program" | sed -n 's/^ *Machine: *//p') in
  *X86-64) machine=x86_64 debian=amd64 ;;
  AArch64) machine=aarch64 debian=arm64 ;;
  *) echo "package.sh: for which processor is this built? $program" >&2; exit 1 ;;
esac

level=9
[[ -n ${COMMITMARK_QUICK:-} ]] && level=1

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
strip -o "$work/commitmark" "$program"
"$here/stage.sh" "$work/commitmark" "$work/usr"

# Debian's summary of the licences, with the texts in its form: indented, and a dot for an empty line.
copyright() {
  indent() { sed -e 's/^\r*$/./' -e 's/^/ /' "$1"; }
  indent "$root/LICENSE-MIT" > "$work/mit"
  indent "$root/assets/fonts/OFL.txt" > "$work/ofl"
  sed -e "/^@MIT@$/{r $work/mit" -e 'd}' -e "/^@OFL@$/{r $work/ofl" -e 'd}' "$here/copyright"
}

# Debian wants one in a form of its own; what changed for people stands in the project's.
changelog() {
  printf 'commitmark (%s) unstable; urgency=medium\n\n  * See CHANGELOG.md.gz.\n\n' "$version"
  printf ' -- %s  %s\n' "$(sed -n 's/^Maintainer: //p' "$here/control")" "$(date -u -R -d "@$SOURCE_DATE_EPOCH")"
}

make_deb() {
  local tree=$work/deb
  mkdir -p "$tree/DEBIAN"
  cp -a "$work/usr" "$tree/usr"
  local doc=$tree/usr/share/doc/commitmark
  copyright > "$doc/copyright"
  # Debian keeps Apache's text once for all, and asks for a changelog of this name.
  rm "$doc"/LICENSE-*
  gzip --best --no-name "$doc/CHANGELOG.md"
  changelog | gzip --best --no-name > "$doc/changelog.gz"
  chmod 644 "$doc"/*
  local kilobytes
  kilobytes=$(du -k -s --apparent-size "$tree/usr" | cut -f1)
  sed -e "s/@VERSION@/$version/" -e "s/@ARCHITECTURE@/$debian/" -e "s/@KILOBYTES@/$kilobytes/" "$here/control" \
    > "$tree/DEBIAN/control"
  (cd "$tree" && find usr -type f -print0 | LC_ALL=C sort -z | xargs -0 md5sum) > "$tree/DEBIAN/md5sums"
  chmod 644 "$tree/DEBIAN"/*
  dpkg-deb --root-owner-group -Zxz -z$level --build "$tree" "$out/commitmark_${version}_$debian.deb" >/dev/null
}

make_rpm() {
  rpmbuild -bb --quiet --target "$machine" \
    --define "_topdir $work/rpm" --define "_rpmdir $out" --define "_build_name_fmt %%{NAME}-%%{VERSION}-%%{RELEASE}.%%{ARCH}.rpm" \
    --define "version_given $version" --define "staged $work/usr" \
    --define "use_source_date_epoch_as_buildtime 1" --define "clamp_mtime_to_source_date_epoch 1" \
    --define "_buildhost commitmark" --define "_binary_payload w$level.xzdio" "$here/commitmark.spec"
}

make_tar() {
  local name=commitmark-$version-linux-$machine
  mkdir "$work/$name"
  cp -a "$work/usr" "$work/$name/files"
  install -m 755 "$here/install.sh" "$here/uninstall.sh" "$work/$name/"
  tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" -C "$work" -cf - "$name" |
    gzip "-$level" --no-name > "$out/$name.tar.gz"
}

make_deb
make_rpm
make_tar
