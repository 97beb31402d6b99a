#!/usr/bin/env bash
# Build the tools that come as Go modules, each in one pinned version, into .tools/bin.
#   tools/setup/go_tools.sh NAME...     NAME: helm, helm3, helm4, kubeconform, kustomize, ct,
#                                       registry, caddy, promtool, prometheus, rclone,
#                                       fake-gcs-server, argocd, cluster, cluster-oldest or
#                                       flux
# Prints the path of each tool. `helm` is the helm on PATH when it is 3.14 or newer, else helm4.
# `registry` and `cluster` are what tests/cluster starts: an OCI registry; a Kubernetes control plane,
# kubectl, etcd and KWOK. `cluster-oldest` is the oldest Kubernetes that the chart is for, without what
# it shares with `cluster`. `rclone` and `fake-gcs-server` are object storages and their client. `flux` is
# no program but the definitions of Flux's resources, which come with the modules of its controllers.
# What was built stays in ${XDG_CACHE_HOME:-~/.cache}/gptoss/bin, for every clone of this user, with its
# SHA-256 beside it, which is compared when it is put into another .tools/bin.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
bin=$root/.tools/bin
cache=${XDG_CACHE_HOME:-$HOME/.cache}/gptoss/bin
known="helm, helm3, helm4, kubeconform, kustomize, ct, registry, caddy, promtool, prometheus, rclone"
known+=", fake-gcs-server, argocd, cluster, cluster-oldest, flux"
# A module of tools/go pins each tool and all that it is made of. Those of charts are built one by
# one, what they share once; those of a cluster are built together; gateway has one.
cluster=(etcd kube-apiserver kube-controller-manager kube-scheduler kubectl kwok)
cluster_oldest=(kube-apiserver-oldest kube-controller-manager-oldest kube-scheduler-oldest)

fail() {
  echo "go_tools.sh: $1" >&2
  exit 2
}

# shellcheck source=tools/setup/go_modules.sh
source "$root/tools/setup/go_modules.sh"
# shellcheck source=tools/setup/kept.sh
source "$root/tools/setup/kept.sh"

# Set package, module (of tools/go), variable (that carries the version), version and file of a tool,
# the tags and what else it is told when it is built.
pin() {
  workspace=charts variable="" told="" made="" tags=""
  case $1 in
    helm[34])
      package=helm.sh/helm/v${1#helm}/cmd/helm module=helm.sh/helm/v${1#helm}
      variable=$module/internal/version.version
      [[ $1 == helm4 ]] || pin_kubernetes
      ;;
    kubeconform)
      package=github.com/yannh/kubeconform/cmd/kubeconform module=github.com/yannh/kubeconform
      variable=main.version
      ;;
    kustomize)
      package=sigs.k8s.io/kustomize/kustomize/v5 module=$package
      variable=sigs.k8s.io/kustomize/api/provenance.version
      ;;
    ct)
      package=github.com/helm/chart-testing/v3/ct module=github.com/helm/chart-testing/v3
      variable=$package/cmd.Version
      ;;
    registry)
      module=github.com/distribution/distribution/v3 package=$module/cmd/registry
      variable=$module/version.version
      ;;
    caddy)
      workspace=gateway package=github.com/caddyserver/caddy/v2/cmd/caddy
      module=github.com/caddyserver/caddy/v2 variable=$module.CustomVersion
      ;;
    # Nothing is discovered here: without it a third of the code and of the time.
    prom*)
      workspace=monitoring module=github.com/prometheus/prometheus package=$module/cmd/$1
      variable=github.com/prometheus/common/version.Version tags=remove_all_sd
      ;;
    # With the backends that the chart's download uses; the rest takes five times as long.
    rclone)
      workspace=storage module=github.com/rclone/rclone package=gptoss/tools/storage/rclone
      variable=$module/fs.Version
      ;;
    fake-gcs-server)
      workspace=storage module=github.com/fsouza/fake-gcs-server package=$module
      variable=main.version
      ;;
    # One program that is each of Argo CD's by the name that it is called by.
    argocd)
      workspace=argocd module=github.com/argoproj/argo-cd/v3 package=$module/cmd
      variable=$module/common.version
      ;;
    etcd) workspace=cluster package=go.etcd.io/etcd/server/v3 module=$package ;;
    # Without the clouds' own code, which it still has, and which takes a tenth of the time.
    kube*-oldest)
      workspace=cluster-oldest package=k8s.io/kubernetes/cmd/${1%-oldest} module=k8s.io/kubernetes
      tags=providerless
      ;;
    kube*) workspace=cluster package=k8s.io/kubernetes/cmd/$1 module=k8s.io/kubernetes ;;
    kwok) workspace=cluster package=sigs.k8s.io/kwok/cmd/kwok module=sigs.k8s.io/kwok ;;
    *) fail "unknown tool '$1'; known are $known" ;;
  esac
  version=$(pinned "$module")
  file=${1%[34]}
  file=${file%-oldest}-$version$made
}

# The version of a module in the workspace.
pinned() {
  awk -v module="$1" '{sub(/^require /, "")} $1 == module && $2 ~ /^v/ {print $2}' \
    "$root/tools/go/$workspace/go.mod"
}

# Helm 3 takes a cluster that it is not told of for Kubernetes 1.20 unless it is built as its own
# releases are: for that of its client, which Helm 4 asks by itself.
pin_kubernetes() {
  local client variable
  client=$(pinned k8s.io/client-go)
  [[ $client =~ ^v0\.([0-9]+)\. ]]
  made=-kubernetes-1.${BASH_REMATCH[1]}
  for variable in chartutil lint/rules; do
    told+=" -X $module/pkg/$variable.k8sVersionMajor=1"
    told+=" -X $module/pkg/$variable.k8sVersionMinor=${BASH_REMATCH[1]}"
  done
}

# Run a build whose GOBIN is a new folder in the cache: it gives what it made its names there.
# Takes what is built, and the function that builds and names it with its arguments.
in_workshop() {
  local what=$1 workshop
  shift
  settle_go "building $what"
  echo "building $what from source, once (minutes on two cores)" >&2
  mkdir -p "$cache"
  workshop=$(mktemp -d "$cache/.build.XXXXXX")
  # shellcheck disable=SC2064  # the folder of now, not of later
  trap "rm -rf '$workshop'" EXIT
  # Static and without debugging data: about half the size, and 20 % faster to start. The compiler
  # is a tenth faster with more memory, a gigabyte or two.
  export CGO_ENABLED=0 GOBIN=$workshop GOGC=400
  "$@" "$workshop" 2>"$workshop/.log" || {
    cat "$workshop/.log" >&2
    fail "building $what failed"
  }
  rm -rf "$workshop"
  trap - EXIT
}

# Build packages of one module of tools/go, in the versions that it pins.
go_install() {
  (cd "$root/tools/go/$1" &&
    go install -trimpath -tags "$tags" -ldflags "-s -w $2" "${@:3}")
}

# Build the pinned tool, which then is the target.
build() {
  local target=$2 workshop=$3
  pin "$1"
  go_install "$workspace" "-X $variable=$version$told" "$package" || return
  mv -f "$workshop"/* "$target"
  record "$target"
}

# Build Argo CD with one line changed: its controller would listen at every address of the machine.
# The definitions of its resources are kept beside it.
build_argocd() (
  target=$2 workshop=$3
  pin argocd
  folder=$(module_folders argocd "$module@$version") || return
  cp -r "$folder" "$workshop/.source"
  cd "$root/tools/go/argocd"
  chmod -R u+w "$workshop/.source"
  sed -i 's/Sprintf("0\.0\.0\.0:%d", metricsPort)/Sprintf("127.0.0.1:%d", metricsPort)/' \
    "$workshop/.source/controller/appcontroller.go"
  cp go.mod "$workshop/.go.mod" && cp go.sum "$workshop/.go.sum"
  go mod edit -replace "$module=$workshop/.source" "$workshop/.go.mod"
  go install -modfile="$workshop/.go.mod" -trimpath -ldflags "-s -w -X $variable=${version#v}" \
    "$package" || return
  awk 'FNR == 1 {print "---"} 1' "$workshop"/.source/manifests/crds/*-crd.yaml \
    >"$target-definitions.yaml"
  mv -f "$workshop/cmd" "$target"
  record "$target" && record "$target-definitions.yaml"
)

# Build together programs of one module that a cluster needs. The workshop is the last argument.
build_together() {
  local workshop=${*: -1} names=("${@:1:$#-1}") name major minor packages=() stamps=""
  local component=k8s.io/component-base/version
  for name in "${names[@]}"; do
    pin "$name"
    packages+=("$package")
    [[ $name == kube-apiserver* ]] && IFS=. read -r major minor _ <<<"${version#v}" &&
      stamps+=" -X $component.gitVersion=$version -X $component.gitMajor=$major -X $component.gitMinor=$minor"
    [[ $name == kwok ]] && stamps+=" -X sigs.k8s.io/kwok/pkg/consts.Version=$version"
  done
  go_install "$workspace" "$stamps" "${packages[@]}" || return
  [[ ! -e $workshop/server ]] || mv "$workshop/server" "$workshop/etcd"
  for name in "${names[@]}"; do
    mv -f "$workshop/${name%-oldest}" "$(cached "$name")"
    record "$(cached "$name")"
  done
}

# Where the pinned tool is kept.
cached() {
  pin "$1"
  echo "$cache/$file-$(uname -sm | tr 'A-Z ' 'a-z-')"
}

# Whether the pinned tool is in .tools/bin, or kept.
is_there() {
  pin "$1"
  [[ -x $bin/$file ]] || is_kept "$(cached "$1")"
}

# Put the pinned tool into .tools/bin under its version, and under its plain name.
provide() {
  local name=$1 kept
  pin "$name"
  if [[ ! -x $bin/$file ]]; then
    kept=$(cached "$name")
    is_kept "$kept" || in_workshop "${name%[34]} $version" build "$name" "$kept"
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

# Provide programs that are built together. Takes what they are, and their names.
provide_together() {
  local what=$1 name
  shift
  for name in "$@"; do
    is_there "$name" || { in_workshop "$what" build_together "$@" && break; }
  done
  for name in "$@"; do
    provide "$name"
  done
}

# Put the definitions of Flux's resources into one file of .tools.
provide_flux() {
  local controllers
  mapfile -t controllers < <(awk '$2 ~ /^v/ {print $1 "@" $2}' "$root/tools/go/flux/go.mod")
  mkdir -p "$bin"
  settle_go "reading Flux's definitions"
  module_folders flux "${controllers[@]}" |
    while read -r folder; do cat "$folder"/config/crd/bases/*.yaml; done >"$bin/.flux.$$"
  mv -f "$bin/.flux.$$" "$bin/flux-definitions.yaml"
  echo "$bin/flux-definitions.yaml"
}

provide_argocd() {
  local kept
  kept=$(cached argocd)
  { is_there argocd && is_kept "$kept-definitions.yaml"; } ||
    in_workshop "Argo CD" build_argocd argocd "$kept"
  provide argocd
  cp "$kept-definitions.yaml" "$bin/argocd-definitions.yaml"
}

(($# > 0)) || fail "name the tools to provide: $known"
for tool in "$@"; do
  case $tool in
    helm) provide_helm ;;
    cluster) provide_together "Kubernetes, etcd and KWOK" "${cluster[@]}" ;;
    cluster-oldest) provide_together "the oldest Kubernetes" "${cluster_oldest[@]}" ;;
    argocd) provide_argocd ;;
    flux) provide_flux ;;
    *) provide "$tool" ;;
  esac
done
