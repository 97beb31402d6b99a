"""Reads ``sh -c`` scripts."""

from gptoss.shell.expansion import is_resolved, mentioned
from gptoss.shell.script import HereDocument, Script, read_script

__all__ = ["HereDocument", "Script", "is_resolved", "mentioned", "read_script"]
