"""Engine: does the engine take the YAML, and do its sizes fit each other?"""
