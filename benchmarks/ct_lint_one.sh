#!/usr/bin/env bash
# ct lint of the chart over the ci/ values of one target, in a copy that has no other.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
cp -rL charts/gpt-oss "$copy/gpt-oss"
find "$copy/gpt-oss/ci" -type f ! -name "$1-values.yaml" -delete
PATH=$PWD/.tools/bin:$PWD/.venv/bin:$PATH
ct lint --config tools/setup/ct.yaml --charts "$copy/gpt-oss"
