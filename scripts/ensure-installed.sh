#!/bin/sh
# Installs the npm packages if they are missing or outdated, and finds bun.
#
#   called:   sh scripts/ensure-installed.sh production|all
#   sourced:  . "$root/scripts/ensure-installed.sh"
#             ensure_installed "$root" production|all
#             exec "$bun" …
#
# `production` installs what a server needs; `all` adds the tools for development.
# All output goes to stderr, because stdout belongs to the command that runs next.

# By default Bun runs 256 fetches at a time and queues the rest. Function calls can need more.
# https://bun.com/docs/api/fetch#simultaneous-connection-limit
export BUN_CONFIG_MAX_HTTP_REQUESTS=65336

quire_fail() {
  printf 'quire: %s\n' "$@" >&2
  exit 1
}

# Sets $bun to the path of the real bun binary.
ensure_installed() {
  quire_root=$1
  quire_kind=$2
  case $quire_kind in
    production | all) ;;
    *) quire_fail "the kind of installation must be production or all, not '$quire_kind'" ;;
  esac
  # Without a lock file, npm installed us as a package, together with our dependencies.
  if [ -f "$quire_root/package-lock.json" ]; then
    quire_why=$(quire_why_install) || quire_install
  fi
  quire_find_bun
}

# Succeeds if nothing needs to be installed; otherwise prints the reason.
# The stamp file has the kind of installation on its first line, and then the lock file that was installed.
quire_why_install() {
  stamp=$quire_root/node_modules/.quire-installed
  if [ ! -d "$quire_root/node_modules" ]; then
    echo 'they are not installed yet'
  elif [ ! -f "$stamp" ]; then
    echo 'an earlier installation did not finish, or was not done by this script'
  elif ! tail -n +2 "$stamp" | cmp -s - "$quire_root/package-lock.json"; then
    echo 'package-lock.json has changed'
  else
    read -r installed <"$stamp"
    case $installed in
      all | "$quire_kind") return 0 ;;
    esac
    echo 'the development packages are not installed'
  fi
  return 1
}

quire_install() {
  quire_check_node
  # The --include options override NODE_ENV=production and `omit` in .npmrc.
  # The bun binary is an optional dependency, one for each platform.
  case $quire_kind in
    production) set -- --omit=dev --include=optional --no-audit --no-fund ;;
    all) set -- --include=dev --include=optional --no-audit --no-fund ;;
  esac
  echo "quire: installing packages ($quire_kind, npm ci): $quire_why" >&2

  # Remove the stamp first and write it last, so an interrupted installation is repeated at the next start.
  rm -f "$quire_root/node_modules/.quire-installed"
  quire_log=$(cd "$quire_root" && npm ci "$@" 2>&1) || quire_explain_failure
  (
    cd "$quire_root/node_modules" &&
      { echo "$quire_kind" && cat ../package-lock.json; } >.quire-installed.new &&
      mv .quire-installed.new .quire-installed
  ) || quire_fail "cannot write to $quire_root/node_modules"
}

quire_check_node() {
  command -v node >/dev/null || quire_fail 'Node.js is missing. Install Node.js 20 or newer, which includes npm.'
  command -v npm >/dev/null || quire_fail 'npm is missing. Install it (on Debian: apt-get install npm).'
  major=$(node -p 'process.versions.node.split(".")[0]') || quire_fail 'node does not run.'
  [ "$major" -ge 20 ] || quire_fail "Node.js $(node -v) is too old. Quire needs Node.js 20 or newer."
}

quire_explain_failure() {
  printf '%s\n' "$quire_log" >&2
  case $quire_log in
    *ENOTFOUND* | *EAI_AGAIN* | *ECONNREFUSED* | *ECONNRESET* | *ENETUNREACH* | *EHOSTUNREACH* | *ETIMEDOUT*)
      quire_fail 'cannot reach the npm registry; see the output of npm above.' \
        'Check the network, and the proxy and registry settings of npm. Then start again.'
      ;;
    *) quire_fail 'npm ci failed; see the output of npm above. Fix the problem, and start again.' ;;
  esac
}

quire_find_bun() {
  # Our packages are in our node_modules, or beside us if we are a dependency ourselves.
  quire_bun_package=$quire_root/node_modules/bun
  [ -d "$quire_bun_package" ] || quire_bun_package=$quire_root/../bun
  bun=$quire_bun_package/bin/bun.exe
  [ -f "$bun" ] || quire_fail "bun is missing from node_modules. Delete $quire_root/node_modules and start again."

  # Until the install script of the bun package has run, bun.exe is a short text file. npm can refuse to run that script.
  # Do not run it a second time: it moves the binary, and downloads one if there is none.
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
