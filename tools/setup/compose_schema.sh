#!/usr/bin/env bash
# Print the path of the compose specification's JSON Schema, which comes with the Go module that
# docker compose itself is built on. It is fetched once, into .tools.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
module=github.com/compose-spec/compose-go/v2
version=$(awk -v module="$module" '$2 == module {print $3}' "$root/tools/go/compose/go.mod")
schema=$root/.tools/compose-spec-$version.json

fail() {
  echo "compose_schema.sh: $1" >&2
  exit 2
}

# shellcheck source=tools/setup/go_modules.sh
source "$root/tools/setup/go_modules.sh"

if [[ ! -f $schema ]]; then
  settle_go "fetching $module"
  folder=$(module_folders compose "$module@$version")
  mkdir -p "$root/.tools"
  cp "$folder/schema/compose-spec.json" "$schema.$$"
  chmod u+w "$schema.$$"
  mv -f "$schema.$$" "$schema"
fi
echo "$schema"
