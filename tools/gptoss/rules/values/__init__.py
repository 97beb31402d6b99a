"""Values: does Helm render the target?"""
