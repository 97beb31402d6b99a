#!/usr/bin/env bash
# Build the tools that come as Go modules, each in one pinned version, into .tools/bin.
#   tools/setup/go_tools.sh NAME...     NAME: helm, helm3, helm4, kubeconform, kustomize
#                                       or ct
# Prints the path of each tool. `helm` is the helm on PATH when it is 3.14 or newer, else helm4.
# What was built stays in ${XDG_CACHE_HOME:-~/.cache}/gptoss/bin, for every clone of this user.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
bin=$root/.tools/bin
cache=${XDG_CACHE_HOME:-$HOME/.cache}/gptoss/bin

fail() {
  echo "go_tools.sh: $1" >&2
  exit 2
}

# Set module, version, variable (that carries the version) and seconds (on two cores) of a tool.
pin() {
  case $1 in
    helm3)
      module=helm.sh/helm/v3/cmd/helm version=v3.22.0 seconds=100
      variable=helm.sh/helm/v3/internal/version.version
      ;;
    helm4)
      module=helm.sh/helm/v4/cmd/helm version=v4.3.1 seconds=100
      variable=helm.sh/helm/v4/internal/version.version
      ;;
    kubeconform)
      module=github.com/yannh/kubeconform/cmd/kubeconform version=v0.8.0 seconds=10
      variable=main.version
      ;;
    kustomize)
      module=sigs.k8s.io/kustomize/kustomize/v5 version=v5.8.1 seconds=40
      variable=sigs.k8s.io/kustomize/api/provenance.version
      ;;
    ct)
      module=github.com/helm/chart-testing/v3/ct version=v3.14.0 seconds=10
      variable=github.com/helm/chart-testing/v3/ct/cmd.Version
      ;;
    *) fail "unknown tool '$1'; known are helm, helm3, helm4, kubeconform, kustomize, ct" ;;
  esac
}

# Build the pinned tool into the cache. It gets its name there only when it is complete.
build() {
  local name=$1 target=$2 workshop
  command -v go >/dev/null || fail "building ${name%[34]} needs Go 1.26 or newer on PATH (https://go.dev/dl)"
  echo "building ${name%[34]} $version from source, once, about $seconds s" >&2
  mkdir -p "$cache"
  workshop=$(mktemp -d "$cache/.build.XXXXXX")
  # shellcheck disable=SC2064  # the folder of now, not of later
  trap "rm -rf '$workshop'" EXIT
  # Static and without debugging data: about half the size, and 20 % faster to start.
  export CGO_ENABLED=0 GOBIN=$workshop
  local flags=(-trimpath -ldflags "-s -w -X $variable=$version")
  local source=("$module@$version")
  # ct cannot be installed by its version; tools/go/ct pins it and all that it needs.
  [[ $name == ct ]] && source=("$module") && flags=(-mod=readonly "${flags[@]}") && cd "$root/tools/go/ct"
  go install "${flags[@]}" "${source[@]}" 2>"$workshop/log" || {
    cat "$workshop/log" >&2
    fail "building $name $version failed"
  }
  rm "$workshop/log"
  cd "$root"
  mv -f "$workshop"/* "$target"
  rm -rf "$workshop"
  trap - EXIT
}

# Put the pinned tool into .tools/bin under its version, and under its plain name.
provide() {
  local name=$1 file platform cached
  pin "$name"
  file=${name%[34]}-$version
  if [[ ! -x $bin/$file ]]; then
    platform=$(uname -sm | tr 'A-Z ' 'a-z-')
    cached=$cache/$file-$platform
    [[ -x $cached ]] || build "$name" "$cached"
    mkdir -p "$bin"
    ln -f "$cached" "$bin/.$file.$$" 2>/dev/null || cp "$cached" "$bin/.$file.$$"
    mv -f "$bin/.$file.$$" "$bin/$file"
  fi
  ln -sfn "$file" "$bin/$name"
  echo "$bin/$name"
}

# Print the first helm on PATH, ours left out, that is new enough.
helm_on_path() {
  local candidate number
  while read -r candidate; do
    [[ $(dirname "$candidate") == "$bin" ]] && continue
    number=$("$candidate" version --template '{{.Version}}' 2>/dev/null) || continue
    [[ $number =~ ^v([0-9]+)\.([0-9]+) ]] || continue
    if ((BASH_REMATCH[1] > 3 || (BASH_REMATCH[1] == 3 && BASH_REMATCH[2] >= 14))); then
      echo "$candidate"
      return
    fi
  done < <(type -aP helm)
}

provide_helm() {
  local found
  found=$(helm_on_path)
  if [[ -z $found ]]; then
    provide helm4 >/dev/null
    found=helm4
  fi
  mkdir -p "$bin"
  ln -sfn "$found" "$bin/helm"
  echo "$bin/helm"
}

(($# > 0)) || fail "name the tools to provide: helm, helm3, helm4, kubeconform, kustomize, ct"
for tool in "$@"; do
  if [[ $tool == helm ]]; then provide_helm; else provide "$tool"; fi
done
