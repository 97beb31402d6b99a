"""What differs between releases of the operator, as far as charts meet it."""

from __future__ import annotations

from dataclasses import dataclass

from testcluster.operator.conversion import ALPHA, BETA

DEFAULT = "1.3.1"
NEW_RULES = (1, 5)


@dataclass(frozen=True)
class Release:
    """A release of the operator.

    Attributes:
        version: As it says it, `1.3.1`.
    """

    version: str

    @property
    def is_strict(self) -> bool:
        """Whether it stores v1beta1 and refuses more (ai-dynamo/dynamo #11904, #10494)."""
        return tuple(int(part) for part in self.version.split(".")[:2]) >= NEW_RULES

    @property
    def storage(self) -> str:
        """The version of the resource that it stores."""
        return BETA if self.is_strict else ALPHA
