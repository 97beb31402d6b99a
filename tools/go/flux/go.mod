module gptoss/tools/flux

go 1.26.0

// The controllers of Flux 2.7.3, of which the definitions of their resources are taken.
require (
	github.com/fluxcd/helm-controller v1.4.3
	github.com/fluxcd/kustomize-controller v1.7.2
	github.com/fluxcd/source-controller v1.7.3
)
