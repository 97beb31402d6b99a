"""A component as it is written, whatever kind of object writes it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gptoss.sources.parts.reading import maps

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gptoss.sources.parts.pod_spec import PodTemplate
    from gptoss.text.yaml_tree import Tree


@dataclass(frozen=True, slots=True)
class Part:
    """A component as it is written.

    Attributes:
        name: Its name.
        tree: The component.
        type: ``componentType`` or ``type``.
        sub_type: ``subComponentType``.
        ignored: Fields that the operator accepts and ignores.
        template: Its pod template.
    """

    name: str
    tree: Tree
    type: Tree | None
    sub_type: Tree | None
    ignored: Mapping[str, Tree]
    template: PodTemplate

    def may_run(self, module: str) -> bool:
        """Whether its command or script names a Python module."""
        return any(module in text for text, _ in self.template.words)


def main_container(spec: Tree | None) -> Tree | None:
    """The container named ``main``, else the first one."""
    containers = maps(spec.at("containers") if spec else None, "containers")
    named = [container for container in containers if container.text("name") == "main"]
    return next(iter(named or containers), None)
