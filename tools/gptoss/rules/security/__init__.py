"""Security: is every right needed, and every download pinned?"""
