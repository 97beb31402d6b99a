#!/usr/bin/env bash
# Judge manifests by kubeconform without the network: core kinds by the schemas of the Python package
# kubernetes-validate, DynamoGraphDeployment by schema/crds/json. Nothing is skipped.
#   tools/setup/kubeconform.sh [OPTION...] [FILE...]     standard input without a file
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
kubernetes_version=1.36.0

# The schemas refer to their common definitions by this address. kubeconform looks into its cache,
# under the SHA-256 of the address, before it would download them.
address=https://kubernetes.io/api/_definitions.json

{ read -r package && read -r cached_name; } < <("${PYTHON:-$root/.venv/bin/python}" -c '
import hashlib, importlib.util, sys
found = importlib.util.find_spec("kubernetes_validate")
print(found.submodule_search_locations[0] if found else "")
print(hashlib.sha256(sys.argv[1].encode()).hexdigest())
' "$address") || true
schemas=${package:-}/kubernetes-json-schema/v$kubernetes_version-local-strict
if [[ ! -f $schemas/_definitions.json ]]; then
  echo "kubeconform.sh: no schemas of Kubernetes $kubernetes_version: run \`make unit\`" >&2
  exit 2
fi

cache=$root/.tools/kubeconform-cache
mkdir -p "$cache"
ln -sfn "$schemas/_definitions.json" "$cache/$cached_name"

"$root/tools/setup/go_tools.sh" kubeconform >/dev/null

# A proxy that nobody listens on: what is missing is an error instead of a download.
exec env HTTPS_PROXY=http://127.0.0.1:9 "$root/.tools/bin/kubeconform" -strict -summary \
  -cache "$cache" \
  -schema-location "$schemas/{{.ResourceKind}}{{.KindSuffix}}.json" \
  -schema-location "$root/schema/crds/json/{{.ResourceKind}}_{{.ResourceAPIVersion}}.json" \
  "$@"
