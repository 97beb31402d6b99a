#!/usr/bin/env bash
# Make the environments of the parsers that judge our command lines, one below .tools/oracles for
# each locked requirement file of requirements/oracles. One that is up to date is left alone.
#   tools/setup/oracles.sh         make what is missing or stale
#   tools/setup/oracles.sh lock    write the requirement files anew; an empty one is a new version
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
requirements=$root/requirements/oracles
environments=$root/.tools/oracles
uv=$root/.venv/bin/uv
oracles=()
for locked in "$requirements"/*-[0-9]*.txt; do
  oracles+=("$(basename "$locked" .txt)")
done

# PyYAML: aiperf imports it, and has it only through packages that are left out.
required() {
  case $1 in
    dynamo-*) echo "ai-dynamo==${1#dynamo-}" ;;
    aiperf-*) printf '%s\n' "aiperf==${1#aiperf-}" pyyaml ;;
    gpt-oss-*) echo "gpt-oss==${1#gpt-oss-}" ;;
  esac
}

# Packages are chosen for the oldest Python that is supported. gpt-oss asks for a newer one, and its
# parser needs nothing of it.
lowest_python() {
  case $1 in
    gpt-oss-*) echo 3.12 ;;
    *) echo 3.11 ;;
  esac
}

lock() {
  required "$1" | "$uv" pip compile --quiet --universal --python-version "$(lowest_python "$1")" \
    --generate-hashes --no-header --no-annotate --excludes "$requirements/${1%-*}-excludes.txt" \
    --output-file "$requirements/$1.txt" -
}

make_environment() {
  local locked=$requirements/$1.txt environment=$environments/$1 sum
  sum=$(sha256sum <"$locked")
  sum=${sum%% *}
  if [[ -f $environment/.stamp && $(<"$environment/.stamp") == "$sum" ]]; then
    return
  fi
  echo "oracles.sh: $1"
  rm -rf "$environment/.stamp" "$environment"
  "$uv" venv --quiet --python "$root/.venv/bin/python" "$environment"
  local options=(--require-hashes)
  if [[ $1 == gpt-oss-* ]]; then
    options+=(--python-version "$(lowest_python "$1")")
  fi
  VIRTUAL_ENV=$environment "$uv" pip sync --quiet "${options[@]}" "$locked"
  # The stamp goes first and comes last: an environment without it is not made.
  echo "$sum" >"$environment/.stamp"
}

if [[ ! -x $uv ]]; then
  echo "oracles.sh: $uv is missing: run \`make oracles\`" >&2
  exit 2
fi
case ${1-make} in
  make) step=make_environment ;;
  lock) step=lock ;;
  *)
    echo "usage: oracles.sh [lock]" >&2
    exit 2
    ;;
esac
for oracle in "${oracles[@]}"; do
  "$step" "$oracle"
done
