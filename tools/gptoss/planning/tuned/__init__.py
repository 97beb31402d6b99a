"""What ``gptoss tune`` asks, prints and writes."""
