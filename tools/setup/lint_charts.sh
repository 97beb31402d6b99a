#!/usr/bin/env bash
# Lint the chart as its users' tools do: helm lint with Helm 3 and 4, ct lint over every ci/ file.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
tools=$PWD/.tools/bin

for file in charts/gpt-oss/ci/*-values.yaml; do
  for helm in helm3 helm4; do
    "$tools/$helm" lint --quiet --strict charts/gpt-oss --values "$file"
  done
done

# ct calls helm, yamllint and yamale by name.
PATH=$tools:$PWD/.venv/bin:$PATH "$tools/ct" lint \
  --config tools/setup/ct.yaml --charts charts/gpt-oss >"${TMPDIR:-/tmp}/ct.$$.log" 2>&1 ||
  { cat "${TMPDIR:-/tmp}/ct.$$.log" >&2; rm -f "${TMPDIR:-/tmp}/ct.$$.log"; exit 1; }
rm -f "${TMPDIR:-/tmp}/ct.$$.log"
echo "chart: helm lint (Helm 3 and 4) and ct lint are clean"
