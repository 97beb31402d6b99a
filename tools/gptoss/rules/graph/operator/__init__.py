"""What the operator is asked for beside pods."""
