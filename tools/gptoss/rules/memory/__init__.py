"""Memory: does it fit the GPU?"""
