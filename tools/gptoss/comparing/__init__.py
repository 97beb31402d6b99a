"""Two deployments, or two releases, held against each other."""
