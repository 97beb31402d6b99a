#!/usr/bin/env bash
# Install the tools that come as npm packages, as tools/npm locks them, into .tools.
#   tools/setup/npm_tools.sh
# What was installed stays in ${XDG_CACHE_HOME:-~/.cache}/gptoss/npm, for every clone of this user, with
# its SHA-256 beside it. Without npm, or without a registry to reach, nothing is installed: the tests
# that need it say so.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
package=yaml-language-server
version=$(sed -n "s/.*\"$package\": \"\(.*\)\".*/\1/p" "$root/tools/npm/package.json")
lock=$(sha256sum <"$root/tools/npm/package-lock.json")
installed=$root/.tools/$package-$version
cached=${XDG_CACHE_HOME:-$HOME/.cache}/gptoss/npm/$package-$version-${lock:0:12}

# shellcheck source=tools/setup/kept.sh
source "$root/tools/setup/kept.sh"

if ! is_kept "$cached"; then
  if ! command -v npm >/dev/null; then
    echo "npm_tools.sh: without npm there is no $package; tests of editors are skipped" >&2
    exit 0
  fi
  echo "installing $package $version, once, about 10 s" >&2
  mkdir -p "$(dirname "$cached")"
  workshop=$(mktemp -d "$cached.XXXXXX")
  trap 'rm -rf "$workshop"' EXIT
  cp "$root"/tools/npm/package*.json "$workshop"
  # What has another hash than the lock's is refused.
  if ! said=$(npm ci --prefix "$workshop" --ignore-scripts --no-audit --no-fund --loglevel error 2>&1); then
    if [[ $said == *EINTEGRITY* ]]; then
      echo "npm_tools.sh: $said" >&2
      exit 2
    fi
    echo "npm_tools.sh: npm cannot install $package; tests of editors are skipped" >&2
    exit 0
  fi
  # It gets its name only when it is complete; another run may have been faster.
  [[ -d $cached ]] || mv "$workshop" "$cached"
  record "$cached"
fi
mkdir -p "$root/.tools"
ln -sfn "$cached" "$installed"
