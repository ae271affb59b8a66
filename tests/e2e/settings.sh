#!/usr/bin/env bash
# The settings to copy, really run: for each framework whose runtime can be had, the code is run against a database, two
# connections read their pragmas back, and the writing transaction must keep another writer out before it has written.
# Takes about three minutes, most of it for installing.
#
#   tests/e2e/settings.sh PROGRAM        as root on Debian 12 with Rust; PROGRAM has the command `settings`
#
# What Debian 12 has too old (PHP, Laravel, Rails, Node and Go) runs in a small Debian of its own, which is removed
# afterwards. rusqlite's code is run by `cargo test`. C#, Dart, Swift and Android have no runtime here: their sources are
# named in src/advice/settings/mod.rs.
set -euo pipefail
here=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
drivers=$here/settings
snippets=$here/../../src/advice/settings/snippets
program=$(realpath "$1")
debian=forky

"$here/../../dist/need.sh" mmdebstrap python3 python3-venv default-jdk-headless libxerial-sqlite-jdbc-java
# Node.js from elsewhere brings its own.
command -v npm >/dev/null || "$here/../../dist/need.sh" npm

work=$(mktemp -d "${TMPDIR:-/var/tmp}/commitmark-settings.XXXXXX")
root=$work/root
installing=
compiling=
clean_up() {
  local job
  for job in $installing $compiling; do
    if kill "$job" 2>/dev/null; then wait "$job" || true; fi
  done
  if mountpoint -q "$root/proc"; then umount --lazy "$root/proc"; fi
  rm -rf --one-file-system "$work"
}
trap clean_up EXIT

fail() { echo "settings.sh: $*" >&2; exit 1; }

# A person's answer leads to the first choice; the second is filled in here, since no answer leads to it without a result.
# shellcheck disable=SC2034 # by its name, in try and try_inside
first=(WAL NORMAL 5000)
second=(DELETE FULL 2500)

# code NAME SNIPPET CHOICE: the code of a framework for the first or the second choice.
code() {
  if [[ $3 == first ]]; then
    "$program" settings --for "$1" --accept-loss 2>"$work/reasons" || fail "$(<"$work/reasons")"
  else
    python3 "$drivers/render.py" "$snippets/$2" "${second[@]}"
  fi
}

# stage FOLDER NAME SNIPPET TARGET CHOICE: a fresh folder with the drivers and the code as the file TARGET.
stage() {
  rm -rf "$1"
  mkdir -p "$1/$(dirname "$4")"
  cp "$drivers"/talk.* "$drivers"/try* "$drivers"/Try.java "$1"
  code "$2" "$3" "$5" >"$1/$4"
}

# try NAME SNIPPET TARGET COMMAND...: runs a driver on this system, with both choices.
try() {
  local name=$1 snippet=$2 target=$3 choice; shift 3
  for choice in first second; do
    local -n settings=$choice
    stage "$work/$name" "$name" "$snippet" "$target" "$choice"
    PYTHONPATH=$work/$name timeout 60 python3 "$drivers/check.py" "$work/$name" "${settings[@]}" "$@" ||
      fail "$name with ${settings[*]}"
  done
  echo "$name: every connection is set, and writing begins with IMMEDIATE"
}

# try_inside NAME SNIPPET TARGET SCRIPT: runs a driver in the small Debian.
try_inside() {
  local name=$1 snippet=$2 target=$3 script=$4 choice
  for choice in first second; do
    local -n settings=$choice
    stage "$root/stage/$name" "$name" "$snippet" "$target" "$choice"
    timeout 120 python3 "$drivers/check.py" "$root/stage/$name" "${settings[@]}" \
      chroot "$root" sh -c "cd /stage/$name && $script" || fail "$name with ${settings[*]}"
  done
  echo "$name: every connection is set, and writing begins with IMMEDIATE"
}

# The mirror may be a little behind: the packages are signed all the same.
timeout 600 mmdebstrap --quiet --variant=apt --mode=root --aptopt='APT::Install-Recommends "false"' \
  --aptopt='Acquire::Check-Valid-Until "false"' --include="nodejs,php-cli,php-sqlite3,php-illuminate-database,\
ruby-activerecord,ruby-sqlite3,golang-go,golang-github-mattn-go-sqlite3-dev,golang-modernc-sqlite-dev,gcc,libc6-dev" \
  "$debian" "$root" >"$work/install.log" 2>&1 &
installing=$!

try sql sql.sql snippet.sql python3 try-sql.py
try python python.py snippet.py python3 try-python.py
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check 'sqlalchemy==2.1.*' 'django>=5.1'
try sqlalchemy sqlalchemy.py snippet.py "$work/venv/bin/python" try-sqlalchemy.py
try django django.py snippet.py "$work/venv/bin/python" try-django.py
jar=/usr/share/java/sqlite-jdbc.jar
try jdbc jdbc.java Database.java sh -c "javac -cp $jar Database.java Try.java && exec java -cp $jar:. Try"

for choice in first second; do
  mkdir -p "$work/rust/$choice"
  code sqlx sqlx.rs "$choice" >"$work/rust/$choice/snippet.rs"
done
SNIPPETS=$work/rust CARGO_TARGET_DIR=$work/target cargo build --quiet --locked --manifest-path "$drivers/sqlx/Cargo.toml"
# shellcheck disable=SC2016 # for the inner shell
try sqlx sqlx.rs snippet.rs sh -c 'exec "$0" "$(grep -q Wal snippet.rs && echo first || echo second)"' \
  "$work/target/debug/settings-for-sqlx"

wait "$installing" || { cat "$work/install.log" >&2; fail "the small Debian could not be installed"; }
installing=
mkdir "$root/stage"
mount -t proc proc "$root/proc"
# The longest compilation goes on beside the rest.
export GO111MODULE=off GOCACHE=/stage/go-cache
GOPATH=/usr/share/gocode timeout 600 chroot "$root" go build modernc.org/sqlite &
compiling=$!
# What is in this package runs without its install script: it brings the compiled SQLite for each system.
npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$root/stage" 'better-sqlite3@^13'
try_inside better-sqlite3 better-sqlite3.mjs snippet.mjs 'exec node try-better-sqlite3.mjs'
try_inside php php.php snippet.php 'exec php try-php.php'
try_inside laravel laravel.php snippet.php 'exec php try-laravel.php'
try_inside rails rails.yml snippet.yml 'exec ruby try-rails.rb'
wait "$compiling" || fail "modernc.org/sqlite could not be compiled"
compiling=
for driver in mattn modernc; do
  try_inside "go-$driver" "go-$driver.go" src/settings/database/database.go "
    export GOPATH=\$PWD:/usr/share/gocode
    mv try.go src/settings && go build -o try settings && exec ./try"
done
echo "The settings to copy do what they say"
