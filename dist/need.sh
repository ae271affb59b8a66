#!/usr/bin/env bash
# Installs the Debian packages named, those that are missing. On a machine that has them all it asks nobody.
#
#   need.sh PACKAGE...
set -euo pipefail
missing=()
for package in "$@"; do
  [[ $(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null) == installed ]] || missing+=("$package")
done
[[ ${#missing[@]} -eq 0 ]] && exit
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
apt-get install -y -qq --no-install-recommends "${missing[@]}" </dev/null >/dev/null
