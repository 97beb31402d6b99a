"""Values of the way in: Service, Ingress, HTTPRoute and network policies."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from gptoss.values.identifiers import Cidr, Host, Name, QualifiedName, UrlPath
from gptoss.values.pod_values import Closed, Count, Free, Strings

Port = Annotated[int, Field(ge=1, le=65535)]


class ServiceValues(Closed):
    """The Service that clients reach."""

    type: Literal["ClusterIP", "NodePort", "LoadBalancer"] = Field(
        "ClusterIP",
        description="Its type. Dynamo's operator makes the frontend's Service, which takes no "
        "options: another type, annotations or labels make a second one, NAME-api.",
    )
    annotations: Strings = Field(
        default_factory=dict,
        description="Its annotations, as those that the cloud's load balancer reads. Escape hatch.",
    )
    labels: Strings = Field(default_factory=dict, description="Its labels. Escape hatch.")
    load_balancer_class: QualifiedName | None = Field(
        None, description="Who makes the load balancer."
    )
    load_balancer_source_ranges: list[Cidr] = Field(
        default_factory=list, description="Addresses that the load balancer lets in, as CIDRs."
    )


class Backend(Closed):
    """Another Service that is asked first, as that of a gateway that checks keys."""

    service: Name | None = Field(
        None, description="Name of the Service; the one that answers when null."
    )
    port: Port | None = Field(None, description="Its port; 8000 when null.")


class IngressPath(Closed):
    """A path that is let in."""

    path: UrlPath = Field("/v1", description="The path; metrics and controls are not below /v1.")
    path_type: Literal["Prefix", "Exact", "ImplementationSpecific"] = Field(
        "Prefix", description="How it is compared."
    )


class IngressHost(Closed):
    """A name under which clients ask."""

    host: Host = Field(description="The name, as in chat.example.com.")
    paths: list[IngressPath] = Field(
        default_factory=list, description="Paths that are let in; /v1 when there is none."
    )


class IngressTls(Closed):
    """A certificate."""

    secret_name: Name = Field(description="An existing Secret of type kubernetes.io/tls.")
    hosts: list[Host] = Field(
        default_factory=list, description="Names it is for; all of the Ingress when there is none."
    )


class IngressValues(Closed):
    """An Ingress with the time-outs of long answers."""

    enabled: bool = Field(False, description="Make it.")
    class_name: Name | None = Field(
        None, description="The IngressClass; the cluster's default when null."
    )
    controller: Literal["generic", "nginx", "haproxy", "openshift", "aws"] = Field(
        "generic",
        description="Who serves it: nginx (ingress-nginx), haproxy (HAProxy's own or "
        "haproxy-ingress), openshift (its router) and aws (load balancer controller) get "
        "annotations for timeoutSeconds, long prompts and unbuffered streams; generic gets none.",
    )
    annotations: Strings = Field(
        default_factory=dict, description="More annotations; they win. Escape hatch."
    )
    labels: Strings = Field(default_factory=dict, description="Its labels. Escape hatch.")
    hosts: list[IngressHost] = Field(
        default_factory=list, description="Names under which clients ask; at least one."
    )
    tls: list[IngressTls] = Field(
        default_factory=list, description="Certificates of existing Secrets."
    )
    timeout_seconds: Count = Field(
        3600,
        description="Seconds without a byte after which an answer is given up. One that is not "
        "streamed says nothing until it is whole.",
    )
    backend: Backend = Field(
        default_factory=Backend, description="Who is asked instead of the server itself."
    )


class HttpRouteValues(Closed):
    """An HTTPRoute of the Gateway API; TLS is the Gateway's."""

    enabled: bool = Field(False, description="Make it.")
    annotations: Strings = Field(default_factory=dict, description="Its annotations. Escape hatch.")
    labels: Strings = Field(default_factory=dict, description="Its labels. Escape hatch.")
    parent_refs: list[Free] = Field(
        default_factory=list,
        description="Gateways that serve it, as in {name: public, namespace: gateways}; at least "
        "one. Escape hatch.",
    )
    hostnames: list[Host] = Field(
        default_factory=list,
        description="Names under which clients ask; all of the Gateway when there is none.",
    )
    paths: list[UrlPath] = Field(
        default_factory=lambda: ["/v1"],
        min_length=1,
        description="Paths that are let in, with all below them.",
    )
    timeout_seconds: Annotated[int, Field(ge=0, le=99999)] | None = Field(
        3600,
        description="Seconds that a whole answer may take; 0 is no limit. null leaves it to the "
        "Gateway, for one that refuses the field.",
    )
    backend: Backend = Field(
        default_factory=Backend, description="Who is asked instead of the server itself."
    )


class Peers(Closed):
    """Who may ask."""

    from_: list[Free] = Field(
        default_factory=list,
        alias="from",
        description="Peers of a NetworkPolicy, as in {namespaceSelector: {matchLabels: {…}}}; "
        "everybody when there is none. Escape hatch.",
    )


class PlatformTraffic(Closed):
    """Dynamo's etcd and NATS."""

    namespace_selector: Free = Field(
        default_factory=dict,
        description="Labels of their namespace, as under namespaceSelector; any when empty. "
        "Escape hatch.",
    )
    ports: list[Port] | None = Field(
        None,
        description="Their ports; 2379 and 4222 before release 1.4 and none from then on, when "
        "the platform brings neither, when null.",
    )


class Addresses(Closed):
    """Addresses outside of the cluster's pods."""

    cidrs: list[Cidr] = Field(default_factory=list, description="The addresses.")
    ports: list[Port] = Field(default_factory=list, description="The ports.")


PRIVATE = ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "fc00::/7")


def _api_server() -> Addresses:
    return Addresses(cidrs=list(PRIVATE), ports=[443, 6443])


def _internet() -> Addresses:
    return Addresses(cidrs=["0.0.0.0/0", "::/0"], ports=[443])


class NetworkPolicyValues(Closed):
    """Network policies: nothing but what the release needs."""

    enabled: bool = Field(
        False, description="Make them; the cluster's network plugin has to heed them."
    )
    frontend: Peers = Field(
        default_factory=Peers,
        description="Who may ask port 8000 beside the release's own Jobs and tests.",
    )
    metrics: Peers = Field(
        default_factory=Peers, description="Who may read the workers' metrics, port 9090."
    )
    platform: PlatformTraffic = Field(
        default_factory=PlatformTraffic, description="Dynamo's etcd and NATS."
    )
    api_server: Addresses = Field(
        default_factory=_api_server,
        description="Kubernetes' API server, through which Dynamo's workers are found.",
    )
    internet: Addresses = Field(
        default_factory=_internet,
        description="Where the model and the questions of the accuracy Job come from; a proxy's "
        "address and port behind one.",
    )
    extra_ingress: list[Free] = Field(
        default_factory=list,
        description="More rules, as under spec.ingress, for every pod of the release. "
        "Escape hatch.",
    )
    extra_egress: list[Free] = Field(
        default_factory=list,
        description="More rules, as under spec.egress, for every pod of the release. Escape hatch.",
    )
