"""Release: is everything spelled as this release spells it?"""
