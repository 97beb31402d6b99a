"""What ``gptoss plan`` prints, draws and writes."""
