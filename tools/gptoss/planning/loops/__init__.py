"""What a system does under a load, in closed form."""
