"""Will a cluster take a target and run it? Asked before it is installed, a module a question."""
