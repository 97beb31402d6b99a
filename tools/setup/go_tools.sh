#!/usr/bin/env bash
# Build the tools that come as Go modules, each in one pinned version, into .tools/bin.
#   tools/setup/go_tools.sh NAME...     NAME: helm, helm3, helm4, kubeconform, kustomize, ct
#                                       or cluster
# Prints the path of each tool. `helm` is the helm on PATH when it is 3.14 or newer, else helm4.
# `cluster` is what tests/cluster starts: a Kubernetes control plane, kubectl, etcd and KWOK.
# What was built stays in ${XDG_CACHE_HOME:-~/.cache}/gptoss/bin, for every clone of this user.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
bin=$root/.tools/bin
cache=${XDG_CACHE_HOME:-$HOME/.cache}/gptoss/bin
known="helm, helm3, helm4, kubeconform, kustomize, ct, cluster"
# Of one module, tools/go/cluster, and built together: most of what they are made of is the same.
cluster=(etcd kube-apiserver kube-controller-manager kube-scheduler kubectl kwok)

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
    etcd) module=go.etcd.io/etcd/server/v3 version=v3.6.8 ;;
    kube*) module=k8s.io/kubernetes/cmd/$1 version=v1.36.3 ;;
    kwok) module=sigs.k8s.io/kwok/cmd/kwok version=v0.8.0 ;;
    *) fail "unknown tool '$1'; known are $known" ;;
  esac
}

# Run a build whose GOBIN is a new folder in the cache: it gives what it made its names there.
# Takes what is built, its seconds, and the function that builds and names it.
in_workshop() {
  local what=$1 seconds=$2 workshop
  shift 2
  command -v go >/dev/null || fail "building $what needs Go 1.26 or newer on PATH (https://go.dev/dl)"
  echo "building $what from source, once, about $seconds s" >&2
  mkdir -p "$cache"
  workshop=$(mktemp -d "$cache/.build.XXXXXX")
  # shellcheck disable=SC2064  # the folder of now, not of later
  trap "rm -rf '$workshop'" EXIT
  # Static and without debugging data: about half the size, and 20 % faster to start.
  export CGO_ENABLED=0 GOBIN=$workshop
  "$@" "$workshop" 2>"$workshop/.log" || {
    cat "$workshop/.log" >&2
    fail "building $what failed"
  }
  rm -rf "$workshop"
  trap - EXIT
}

# Build the pinned tool, which then is the target.
build() {
  local name=$1 target=$2 workshop=$3
  local flags=(-trimpath -ldflags "-s -w -X $variable=$version")
  local source=("$module@$version")
  # ct cannot be installed by its version; tools/go/ct pins it and all that it needs.
  [[ $name == ct ]] && source=("$module") && flags=(-mod=readonly "${flags[@]}") && cd "$root/tools/go/ct"
  go install "${flags[@]}" "${source[@]}" || return
  cd "$root"
  mv -f "$workshop"/* "$target"
}

# Build all that a cluster needs.
build_cluster() {
  local workshop=$1 name major minor modules=() stamps="" component=k8s.io/component-base/version
  for name in "${cluster[@]}"; do
    pin "$name"
    modules+=("$module")
    [[ $name == kubectl ]] && IFS=. read -r major minor _ <<<"${version#v}" &&
      stamps="-X $component.gitVersion=$version -X $component.gitMajor=$major -X $component.gitMinor=$minor"
    [[ $name == kwok ]] && stamps+=" -X sigs.k8s.io/kwok/pkg/consts.Version=$version"
  done
  # A tenth faster with more memory, a gigabyte or two.
  (cd "$root/tools/go/cluster" &&
    GOGC=400 go install -mod=readonly -trimpath -ldflags "-s -w $stamps" "${modules[@]}") || return
  mv "$workshop/server" "$workshop/etcd"
  for name in "${cluster[@]}"; do
    mv -f "$workshop/$name" "$(cached "$name")"
  done
}

# Where the pinned tool is kept.
cached() {
  pin "$1"
  echo "$cache/${1%[34]}-$version-$(uname -sm | tr 'A-Z ' 'a-z-')"
}

# Put the pinned tool into .tools/bin under its version, and under its plain name.
provide() {
  local name=$1 file kept
  pin "$name"
  file=${name%[34]}-$version
  if [[ ! -x $bin/$file ]]; then
    kept=$(cached "$name")
    [[ -x $kept ]] || in_workshop "${name%[34]} $version" "$seconds" build "$name" "$kept"
    mkdir -p "$bin"
    ln -f "$kept" "$bin/.$file.$$" 2>/dev/null || cp "$kept" "$bin/.$file.$$"
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

provide_cluster() {
  local name
  for name in "${cluster[@]}"; do
    [[ -x $(cached "$name") ]] || { in_workshop "Kubernetes, etcd and KWOK" 360 build_cluster && break; }
  done
  for name in "${cluster[@]}"; do
    provide "$name"
  done
}

(($# > 0)) || fail "name the tools to provide: $known"
for tool in "$@"; do
  case $tool in
    helm) provide_helm ;;
    cluster) provide_cluster ;;
    *) provide "$tool" ;;
  esac
done
