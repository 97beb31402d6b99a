"""What a pod template says, read into plain values with their places."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gptoss.text.command import Command, Variable
    from gptoss.text.places import Located, Place


@dataclass(frozen=True, slots=True)
class Mount:
    """A volume mounted into a container.

    Attributes:
        path: Where in the container.
        claim: Name of the PersistentVolumeClaim behind it, if any.
        config_map: Name of the ConfigMap behind it, if any.
        read_only: Whether it is mounted read-only.
        sub_path: The one entry that is mounted, if only one is.
        place: Where the mount is written.
        items: File name and key of each entry that is mounted, when not every key is.
        source: What else is behind it, as in ``hostPath /data/models``; '' where that is not known.
    """

    path: str
    claim: str | None
    config_map: str | None
    read_only: bool
    sub_path: str | None
    place: Place
    items: tuple[tuple[str, str], ...] = ()
    source: str = ""

    def key_at(self, path: str) -> str | None:
        """The key of the ConfigMap that a path holds, or None when it holds none."""
        below = path.removeprefix(self.path.rstrip("/")).strip("/")
        name = "/".join(part for part in (self.sub_path, below) if part)
        return dict(self.items).get(name) if self.items else name or None


@dataclass(frozen=True, slots=True)
class NodeRequirement:
    """A label that a node must (or should) have, from a node selector or node affinity."""

    key: str
    operator: str
    values: tuple[str, ...]
    required: bool
    place: Place


@dataclass(frozen=True, slots=True)
class AntiAffinity:
    """Pods that this pod must (or should) not share a topology domain with.

    Attributes:
        labels: What their labels must be: keys, each with the values that do.
        complete: Whether nothing else is asked of them.
        topology_key: Label of nodes that tells the domains.
        required: Whether it must.
        place: Where it is written.
    """

    labels: tuple[tuple[str, tuple[str, ...]], ...]
    topology_key: str
    required: bool
    place: Place
    complete: bool = True


@dataclass(frozen=True, slots=True)
class Toleration:
    """A taint that a pod tolerates; an empty key tolerates every taint."""

    key: str
    place: Place


@dataclass(frozen=True, slots=True)
class Devices:
    """What a claim by dynamic resource allocation hands out.

    Attributes:
        gpus: Whole GPUs; None where their number, or what the devices are, is not known.
        channel: Whether the channel of a ComputeDomain is among the devices.
        place: Where it is written.
    """

    gpus: int | None
    channel: bool
    place: Place


@dataclass(frozen=True, slots=True)
class DeviceClaim:
    """Devices that a pod claims by dynamic resource allocation.

    Attributes:
        name: What the pod calls the claim.
        template: Name of the ResourceClaimTemplate that it is made from; None for a claim that is
            there.
        used: Whether the main container asks for the devices.
        place: Where it is written.
        devices: What it hands out; None where the claim or template is not given along.
        claim: Name of the claim that is there; None for one made from a template.
        requests: The requests of it that the main container asks for; () for all.
    """

    name: str
    template: str | None
    used: bool
    place: Place
    devices: Devices | None = None
    claim: str | None = None
    requests: tuple[str, ...] = ()

    @property
    def is_channel(self) -> bool:
        """Whether it is known to hand out the channel of a ComputeDomain."""
        return self.devices is not None and self.devices.channel

    @property
    def gpus(self) -> int:
        """Whole GPUs that the main container gets by it, as far as is known."""
        return (self.devices.gpus or 0) if self.used and self.devices else 0


@dataclass(frozen=True, slots=True)
class Probe:
    """A health probe that the user wrote.

    Attributes:
        place: Where it is written.
        delay: Seconds before the first attempt.
        period: Seconds between attempts.
        threshold: Failed attempts in a row that end the container.
        page: What it asks the server for; None where it asks otherwise than by HTTP.
        lost_port: The name of its port, where the container names no port so.
    """

    place: Place
    delay: int
    period: int
    threshold: int
    page: str | None = None
    lost_port: str | None = None

    @property
    def seconds(self) -> int:
        """How long a container that does not answer lives."""
        return self.delay + self.period * self.threshold


@dataclass(frozen=True, slots=True)
class Isolation:
    """What keeps a container apart from others of its machine.

    Attributes:
        name: What tells it from the others.
        ipc, pid: Whose namespace it is in: its own name, another one's, or ``host``.
        handed: Numbers of the GPUs that it is given; None for all of the machine.
        used: Numbers of those that it computes on; None where that is not known.
        has_rdma: Whether it is given the RDMA devices of the machine.
        place: Where the one or the other is written.
    """

    name: str
    ipc: str
    pid: str
    handed: frozenset[str] | None
    used: frozenset[str] | None
    has_rdma: bool
    place: Place

    @property
    def joins_memory(self) -> bool:
        """Whether its /dev/shm is that of several containers."""
        return self.ipc != self.name

    def sees(self, other: Isolation) -> bool:
        """Whether it is given the GPUs that another computes on, as far as that is known."""
        if self.handed is None or other.used is None:
            return True
        numbered = all(gpu.isdecimal() for gpu in self.handed | other.used)
        return other.used <= self.handed or not numbered


@dataclass(frozen=True, slots=True)
class Pod:
    """What a pod template says, for any component or job.

    Attributes:
        place: Where the component or job begins.
        image: Image reference of the main container.
        commands: Every command that the container runs, in order, those of a shell script too.
        uses_shell: Whether the commands come from a shell script.
        environment: Variables of the main container by name.
        secrets: Names of Secrets whose every key becomes a variable.
        mounts: Volumes of the main container.
        nodes: What is asked of the node.
        anti_affinity: Pods it keeps away from.
        spread: Where its topologySpreadConstraints begin, when it has some.
        tolerations: Taints it tolerates.
        requests, limits: Resource quantities by name, without GPUs.
        annotations: Pod annotations.
        pull_secrets: Names of image pull secrets.
        privileged: Set when the container asks for privilege.
        root: Set when the pod or container asks to run as user 0.
        non_root: Set when the pod or container refuses to run as root.
        identity: Users and groups that it asks to run as, as in ``runAsUser 3000``.
        before: Names of the containers that run before the main one.
        capabilities: Linux capabilities that the container adds.
        host_namespaces: Namespaces of the node that the pod uses: hostIPC, hostNetwork, hostPID.
        probes: Probes written by the user, by kind (liveness, readiness, startup).
        termination_grace: Seconds between SIGTERM and SIGKILL, when set.
        shared_memory: Size of /dev/shm as a quantity, when set; 0 where it is switched off.
        mentions: Names of the variables that the command or its script refers to; None when that
            was not read.
        device_claims: What it claims by dynamic resource allocation.
        ports: Numbers of the ports that the main container names.
        deadline: Seconds after which its Job is ended, when set.
        kept: Seconds for which its Job is kept when it has ended; for ever when not set.
        isolation: What keeps it apart from others of its machine; None for a pod of a cluster, and
            for a process in no container.
    """

    place: Place
    image: Located[str] | None = None
    commands: tuple[Command, ...] = ()
    uses_shell: bool = False
    environment: Mapping[str, Variable] = field(default_factory=dict)
    secrets: tuple[Located[str], ...] = ()
    mounts: tuple[Mount, ...] = ()
    nodes: tuple[NodeRequirement, ...] = ()
    anti_affinity: tuple[AntiAffinity, ...] = ()
    spread: Place | None = None
    tolerations: tuple[Toleration, ...] = ()
    requests: Mapping[str, Located[str]] = field(default_factory=dict)
    limits: Mapping[str, Located[str]] = field(default_factory=dict)
    annotations: Mapping[str, Located[str]] = field(default_factory=dict)
    pull_secrets: tuple[Located[str], ...] = ()
    privileged: Place | None = None
    root: Place | None = None
    non_root: Place | None = None
    identity: tuple[Located[str], ...] = ()
    before: tuple[Located[str], ...] = ()
    capabilities: tuple[Located[str], ...] = ()
    host_namespaces: tuple[Located[str], ...] = ()
    probes: Mapping[str, Probe] = field(default_factory=dict)
    termination_grace: Located[int] | None = None
    shared_memory: Located[str] | None = None
    mentions: frozenset[str] | None = None
    device_claims: tuple[DeviceClaim, ...] = ()
    isolation: Isolation | None = None
    ports: tuple[int, ...] = ()
    deadline: Located[int] | None = None
    kept: Located[int] | None = None

    @property
    def claims_channel(self) -> bool:
        """Whether it claims the channel of a ComputeDomain, as far as is known."""
        return any(claim.devices is None or claim.is_channel for claim in self.device_claims)

    @property
    def claims_unknown(self) -> bool:
        """Whether its main container gets devices of which it is not known what they are."""
        claimed = (claim.devices for claim in self.device_claims if claim.used)
        return any(devices is None or devices.gpus is None for devices in claimed)

    @property
    def claimed_gpus(self) -> int:
        """Whole GPUs that its main container gets by claims, as far as is known."""
        return sum(claim.gpus for claim in self.device_claims)

    def variable(self, name: str) -> str | None:
        """The literal value of a variable, or None."""
        variable = self.environment.get(name)
        return variable.value if variable else None

    def capability(self, name: str) -> Located[str] | None:
        """The capability of a name, which may be written with CAP_ before it, or None."""
        found = (each for each in self.capabilities if each.value.removeprefix("CAP_") == name)
        return next(found, None)

    def mount_at(self, path: str) -> Mount | None:
        """The deepest mount that holds a path, or None."""
        inside = f"{path.rstrip('/')}/"
        holding = [m for m in self.mounts if inside.startswith(f"{m.path.rstrip('/')}/")]
        return max(holding, key=lambda mount: len(mount.path.rstrip("/")), default=None)
