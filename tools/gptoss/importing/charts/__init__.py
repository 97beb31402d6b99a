"""Values of other charts as values of this one."""
