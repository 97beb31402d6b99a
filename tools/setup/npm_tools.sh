#!/usr/bin/env bash
# Install the tools that come as npm packages, each in one pinned version, into .tools.
#   tools/setup/npm_tools.sh
# What was installed stays in ${XDG_CACHE_HOME:-~/.cache}/gptoss/npm, for every clone of this user.
# Without npm, or without a registry to reach, nothing is installed: the tests that need it say so.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
package=yaml-language-server version=1.25.0
installed=$root/.tools/$package-$version
cached=${XDG_CACHE_HOME:-$HOME/.cache}/gptoss/npm/$package-$version

if [[ ! -d $cached ]]; then
  if ! command -v npm >/dev/null; then
    echo "npm_tools.sh: without npm there is no $package; tests of editors are skipped" >&2
    exit 0
  fi
  echo "installing $package $version, once, about 10 s" >&2
  mkdir -p "$(dirname "$cached")"
  workshop=$(mktemp -d "$cached.XXXXXX")
  trap 'rm -rf "$workshop"' EXIT
  if ! npm install --no-save --no-package-lock --no-audit --no-fund --ignore-scripts --silent \
    --prefix "$workshop" "$package@$version" >&2; then
    echo "npm_tools.sh: npm cannot install $package; tests of editors are skipped" >&2
    exit 0
  fi
  # It gets its name only when it is complete; another run may have been faster.
  [[ -d $cached ]] || mv "$workshop" "$cached"
fi
mkdir -p "$root/.tools"
ln -sfn "$cached" "$installed"
