"""What all sources share: pods, commands, variables, workers, Jobs."""
