"""Graph: will the operator accept it, and will every worker be discovered?"""
