"""A live cluster asked, never changed: what it has, what runs, where it stands."""
