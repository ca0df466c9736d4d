#!/bin/sh
# Installs the npm packages when they are missing or stale, and finds bun.
#
#   called:   sh scripts/ensure-installed.sh production|all
#   sourced:  . "$root/scripts/ensure-installed.sh"
#             ensure_installed "$root" production|all
#             exec "$bun" …
#
# `production` is what a server runs on, `all` adds the tools of a developer.
# Everything is said on stderr: stdout belongs to the command that is about to run.

# Bun allows 256 fetches at a time and queues the rest; a page's functions may wait on more than that.
# https://bun.com/docs/api/fetch#simultaneous-connection-limit
export BUN_CONFIG_MAX_HTTP_REQUESTS=65336

quire_fail() {
  printf 'quire: %s\n' "$@" >&2
  exit 1
}

# Leaves the path of the real bun binary in $bun.
ensure_installed() {
  quire_root=$1
  quire_kind=$2
  case $quire_kind in
    production | all) ;;
    *) quire_fail "the kind of install must be production or all, not '$quire_kind'" ;;
  esac
  # Without a lock we are a package that npm installed, and npm installed our packages along with us.
  if [ -f "$quire_root/package-lock.json" ]; then
    quire_why=$(quire_why_install) || quire_install
  fi
  quire_find_bun
}

# Succeeds when nothing is to be done, else prints the reason.
# The stamp is the kind of install on its first line, then the lock that was installed.
quire_why_install() {
  stamp=$quire_root/node_modules/.quire-installed
  if [ ! -d "$quire_root/node_modules" ]; then
    echo 'they are not installed yet'
  elif [ ! -f "$stamp" ]; then
    echo 'an earlier install did not finish, or was not made by this script'
  elif ! tail -n +2 "$stamp" | cmp -s - "$quire_root/package-lock.json"; then
    echo 'package-lock.json has changed'
  else
    read -r installed <"$stamp"
    case $installed in
      all | "$quire_kind") return 0 ;;
    esac
    echo 'only those of a server are installed'
  fi
  return 1
}

quire_install() {
  quire_check_node
  # The includes win over NODE_ENV=production and over `omit` in somebody's .npmrc;
  # the bun binary itself is an optional dependency (one for each platform).
  case $quire_kind in
    production) set -- --omit=dev --include=optional --no-audit --no-fund ;;
    all) set -- --include=dev --include=optional --no-audit --no-fund ;;
  esac
  echo "quire: installing packages ($quire_kind, npm ci): $quire_why" >&2

  # The stamp goes first and comes back last, so an interrupted install is made again at the next start.
  rm -f "$quire_root/node_modules/.quire-installed"
  quire_log=$(cd "$quire_root" && npm ci "$@" 2>&1) || quire_explain_failure
  (
    cd "$quire_root/node_modules" &&
      { echo "$quire_kind" && cat ../package-lock.json; } >.quire-installed.new &&
      mv .quire-installed.new .quire-installed
  ) || quire_fail "cannot write in $quire_root/node_modules"
}

quire_check_node() {
  command -v node >/dev/null || quire_fail 'Node.js is missing. Install Node.js 20 or newer (it comes with npm).'
  command -v npm >/dev/null || quire_fail 'npm is missing. Install it beside Node.js (on Debian: apt-get install npm).'
  major=$(node -p 'process.versions.node.split(".")[0]') || quire_fail 'node does not run.'
  [ "$major" -ge 20 ] || quire_fail "Node.js $(node -v) is too old. Quire needs Node.js 20 or newer."
}

quire_explain_failure() {
  printf '%s\n' "$quire_log" >&2
  case $quire_log in
    *ENOTFOUND* | *EAI_AGAIN* | *ECONNREFUSED* | *ECONNRESET* | *ENETUNREACH* | *EHOSTUNREACH* | *ETIMEDOUT*)
      quire_fail 'the npm registry cannot be reached (above is what npm said).' \
        'Check the network, and the proxy and registry settings of npm. The next start tries again.'
      ;;
    *) quire_fail 'npm ci failed (above is what npm said). The next start tries again.' ;;
  esac
}

quire_find_bun() {
  # npm puts our packages below us, or beside us when we are a dependency ourselves.
  quire_bun_package=$quire_root/node_modules/bun
  [ -d "$quire_bun_package" ] || quire_bun_package=$quire_root/../bun
  bun=$quire_bun_package/bin/bun.exe
  [ -f "$bun" ] || quire_fail "bun is missing from node_modules. Remove $quire_root/node_modules and start again."

  # Until the install script of the bun package has run, bun.exe is a short text that says so. npm may have
  # refused to run it. Never run it again after that: it moves the binary, and downloads one if there is none.
  [ "$(wc -c <"$bun")" -lt 100000 ] || return 0
  quire_check_node
  echo 'quire: running the install script of the bun package, which npm did not run' >&2
  (cd "$quire_bun_package" && node install.js) >&2 || quire_fail 'the install script of the bun package failed.'
}

case ${0##*/} in
  ensure-installed.sh)
    set -eu
    ensure_installed "$(cd "$(dirname "$0")/.." && pwd -P)" "${1:-production}"
    ;;
esac
