"""Family graph, fields: what the API server knows and takes."""

from __future__ import annotations

from gptoss.rules.rule import ANY, Severity, rule

SOURCE = (
    "ai-dynamo/dynamo deploy/operator/api v1alpha1 @015d780, v1beta1 @006b6e1; Kubernetes 1.36.0 "
    "core/v1 PodTemplateSpec"
)


@rule(
    "G060",
    "field-unknown",
    Severity.WARNING,
    reports="field-unknown",
    hint="write it as the API does, or leave it out",
    runtimes=ANY,
)
def field_unknown() -> None:
    """A manifest has a field that the API does not have.

    kubectl refuses it; Helm and Argo CD send it, and the API server drops it without a word, so
    that what it was to say is not in force. Inside a graph the fields are those that are known of
    the operator; a release that is newer may have more.
    """


@rule(
    "G061",
    "field-refused",
    Severity.ERROR,
    reports="field-refused",
    hint="write a value of that kind",
    runtimes=ANY,
)
def field_refused() -> None:
    """A field has a value of a type that the API server refuses, or lacks a field that it needs.

    Nothing of the object is created.
    """
