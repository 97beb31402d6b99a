"""A Kubernetes control plane at 127.0.0.1 to try charts on: its programs are real, nodes played."""
