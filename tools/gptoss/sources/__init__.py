"""What people have, read into a Deployment."""
