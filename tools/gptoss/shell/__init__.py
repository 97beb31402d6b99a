"""Reads ``sh -c`` scripts."""

from gptoss.shell.expansion import is_resolved, mentioned
from gptoss.shell.result import HereDocument, Script, Step
from gptoss.shell.script import read_script

__all__ = ["HereDocument", "Script", "Step", "is_resolved", "mentioned", "read_script"]
