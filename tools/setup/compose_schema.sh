#!/usr/bin/env bash
# Print the path of the compose specification's JSON Schema, which comes with the Go module that
# docker compose itself is built on. It is fetched once, into .tools.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
module=github.com/compose-spec/compose-go/v2
version=v2.16.2
schema=$root/.tools/compose-spec-$version.json

if [[ ! -f $schema ]]; then
  command -v go >/dev/null || {
    echo "compose_schema.sh: fetching $module needs Go 1.26 or newer on PATH (https://go.dev/dl)" >&2
    exit 2
  }
  cd "$root/.tools"
  folder=$(go mod download -json "$module@$version" |
    sed -n 's/^\s*"Dir": "\(.*\)",$/\1/p')
  cp "$folder/schema/compose-spec.json" "$schema.$$"
  chmod u+w "$schema.$$"
  mv -f "$schema.$$" "$schema"
fi
echo "$schema"
