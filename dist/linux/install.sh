#!/bin/sh
# Installs CommitMark: for you alone, or for everybody when root runs it.
#
#   ./install.sh                  into ~/.local, or into /usr/local as root
#   ./install.sh --prefix DIR     into DIR
#
# Everything it puts down is listed in share/commitmark/installed.txt, which uninstall.sh reads.
set -eu

usage() { sed -n '4,5p' "$0" >&2; exit 2; }

here=$(cd "$(dirname "$0")" && pwd)
if [ "$(id -u)" = 0 ]; then prefix=/usr/local; else prefix=$HOME/.local; fi
case ${1-} in
  '') ;;
  --prefix) [ $# = 2 ] && [ -n "$2" ] || usage; prefix=$2 ;;
  *) usage ;;
esac
mkdir -p "$prefix"
prefix=$(cd "$prefix" && pwd)

# An earlier version goes first: it may have had other files.
if [ -x "$prefix/share/commitmark/uninstall.sh" ]; then "$prefix/share/commitmark/uninstall.sh" --quiet; fi

list=$(mktemp)
trap 'rm -f "$list"' EXIT
# Folders are listed where they are new, so that uninstalling takes them away and no others.
(cd "$here/files" && find . -type d ! -name .) | sed 's|^\./||' | LC_ALL=C sort | while read -r folder; do
  [ -d "$prefix/$folder" ] || { mkdir -m 755 "$prefix/$folder"; echo "$folder" >> "$list"; }
done
[ -d "$prefix/share/commitmark" ] || { mkdir -m 755 "$prefix/share/commitmark"; echo share/commitmark >> "$list"; }
(cd "$here/files" && find . -type f) | sed 's|^\./||' | while read -r file; do
  cp "$here/files/$file" "$prefix/$file"
  echo "$file" >> "$list"
done
cp "$here/uninstall.sh" "$prefix/share/commitmark/uninstall.sh"
echo share/commitmark/uninstall.sh >> "$list"
echo share/commitmark/installed.txt >> "$list"

# A desktop does not search every folder that a terminal does: the whole path always works. Quotes as the Desktop Entry
# Specification wants them.
escaped=$(printf '%s' "$prefix/bin/commitmark" | sed -e 's/[\\"`$]/\\\\&/g' -e 's/%/%%/g' -e 's/[&|\\]/\\&/g')
desktop=$prefix/share/applications/commitmark.desktop
sed "s|^Exec=commitmark |Exec=\"$escaped\" |" "$desktop" > "$desktop.new"
mv "$desktop.new" "$desktop"
chmod 644 "$desktop"
cp "$list" "$prefix/share/commitmark/installed.txt"
chmod 644 "$prefix/share/commitmark/installed.txt"

"$prefix/share/commitmark/uninstall.sh" --refresh

echo "CommitMark is in the menu, and in $prefix/bin"
case ":$PATH:" in *":$prefix/bin:"*) ;; *) echo "That folder is not in your PATH: in a terminal, type $prefix/bin/commitmark" ;; esac
echo "To remove it: $prefix/share/commitmark/uninstall.sh"
