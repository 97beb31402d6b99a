"""A target run without a GPU: environments, simulated workers, faults; and any server asked."""
