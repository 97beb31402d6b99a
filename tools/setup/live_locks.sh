#!/usr/bin/env bash
# Pin anew what the environments of `gptoss setup live` hold, a file each below requirements/live; an
# empty file is a new version. gptoss makes the environments itself (tools/gptoss/live).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../requirements/live"
uv=../../.venv/bin/uv

# jinja2: the stand-in for trtllm-serve renders the chat template. The fixture is two packages that
# carry the vocabulary and the template, held at versions that are small.
required() {
  case $1 in
    dynamo-*) printf '%s\n' "ai-dynamo==${1#dynamo-}" jinja2 ;;
    aiperf-*) echo "aiperf==${1#aiperf-}" ;;
    aiconfigurator-core-*) echo "aiconfigurator-core==${1#aiconfigurator-core-}" ;;
    fixture) printf '%s\n' litellm==1.72.0 unsloth==2025.10.1 ;;
  esac
}

for file in *.txt; do
  name=${file%.txt}
  options=()
  if [[ $name == fixture ]]; then
    options=(--no-deps)
  fi
  # aisimulate is published elsewhere and no simulation imports it; certifi is asked for newer than
  # it is to be had.
  required "$name" | "$uv" pip compile --quiet --universal --python-version 3.11 --generate-hashes \
    --no-header --no-annotate --excludes <(echo aisimulate) --overrides <(echo certifi) \
    "${options[@]}" --output-file "$file" -
done
