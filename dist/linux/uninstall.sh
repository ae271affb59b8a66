#!/bin/sh
# Removes the CommitMark that install.sh installed. Your results stay; the last line says where they are.
#
#   share/commitmark/uninstall.sh [--quiet]
set -eu

prefix=$(cd "$(dirname "$0")/../.." && pwd)
list=$prefix/share/commitmark/installed.txt

# Tells the desktop what there is now. Without these tools it finds out by itself.
refresh() {
  if command -v update-desktop-database >/dev/null && [ -d "$prefix/share/applications" ]; then
    update-desktop-database -q "$prefix/share/applications" || true
  fi
  if command -v update-mime-database >/dev/null && [ -d "$prefix/share/mime/packages" ]; then
    update-mime-database "$prefix/share/mime" || true
  fi
  if command -v gtk-update-icon-cache >/dev/null && [ -f "$prefix/share/icons/hicolor/index.theme" ]; then
    gtk-update-icon-cache -q "$prefix/share/icons/hicolor" || true
  fi
}

# Takes away what refresh() wrote where nobody else has any use for it.
sweep() {
  cache=$prefix/share/applications/mimeinfo.cache
  if [ -f "$cache" ] && ! grep -q = "$cache"; then rm -f "$cache"; fi
  if grep -qx share/mime "$list" && ! find "$prefix/share/mime/packages" -type f 2>/dev/null | grep -q .; then
    rm -rf "$prefix/share/mime/application"
    for file in aliases generic-icons globs globs2 icons magic mime.cache subclasses treemagic types version XMLnamespaces; do
      rm -f "$prefix/share/mime/$file"
    done
  fi
}

case ${1-} in
  '' | --quiet) ;;
  --refresh) refresh; exit ;;
  *) sed -n '4p' "$0" >&2; exit 2 ;;
esac
[ -f "$list" ] || { echo "uninstall.sh: The list of what was installed is gone, so nothing is removed: $list" >&2; exit 1; }

kept=$(mktemp)
trap 'rm -f "$kept"' EXIT
cp "$list" "$kept"
while read -r name; do
  if [ ! -d "$prefix/$name" ]; then rm -f "$prefix/$name"; fi
done < "$kept"
list=$kept
refresh
sweep
# The deepest first. A folder with something in it stays.
LC_ALL=C sort -r "$kept" | while read -r name; do
  if [ -d "$prefix/$name" ]; then rmdir "$prefix/$name" 2>/dev/null || true; fi
done
if [ "${1-}" != --quiet ]; then
  echo "CommitMark is removed. Results are kept in ${XDG_DATA_HOME:-${HOME:-"~"}/.local/share}/commitmark: delete that folder to remove them too"
fi
