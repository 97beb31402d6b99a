# shellcheck shell=bash
# What is fetched as Go modules has to have the sums of tools/go/*/go.sum. Sourced by the scripts that
# use them; they set root, and their function fail takes a message.

# Take from the caller where modules come from and where they are kept, and nothing that says which
# sums count or that has a part in a build: GOFLAGS can do both, and a go.work changes the modules.
# Takes what Go is needed for.
settle_go() {
  local name
  command -v go >/dev/null || fail "$1 needs Go 1.26 or newer on PATH (https://go.dev/dl)"
  for name in GOPROXY GONOPROXY GOAUTH GOMODCACHE GOCACHE; do
    export "$name=$(GOFLAGS='' GOWORK=off go env "$name")"
  done
  unset GOPRIVATE GONOSUMDB GOSUMDB GOINSECURE
  export GOENV=off GOWORK=off GOTOOLCHAIN=local GOFLAGS="-mod=readonly -buildvcs=false"
}

# Print the folders of modules, NAME@VERSION, of a workspace of tools/go.
module_folders() {
  local workspace=${root:?}/tools/go/$1 module downloaded
  shift
  for module in "$@"; do
    # What has no sum would be downloaded too.
    grep -qF "${module/@/ } h1:" "$workspace/go.sum" || fail "go.sum has no sum of $module"
  done
  downloaded=$(cd "$workspace" && go mod download -json "$@") || {
    grep '"Error"' <<<"$downloaded" >&2
    fail "fetching Go modules failed"
  }
  sed -n 's/^\t"Dir": "\(.*\)",$/\1/p' <<<"$downloaded"
}
