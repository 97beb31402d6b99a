"""Where deployments are read from: manifests and the chart."""
