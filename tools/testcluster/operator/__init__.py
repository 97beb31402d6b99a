"""A stand-in for the Dynamo operator: what charts meet of it on a cluster, and not more.

    releases      what differs between releases of the operator
    definition    the resource definition and the webhooks that a release installs
    installing    starts it, and puts a release of it over another one
    conversion    graphs of v1alpha1 as v1beta1, and back
    validation    what its webhook refuses
    defaulting    what its webhook fills in
    webhooks      the server that the API server asks
    pods          a component's pod: defaults by type, and what the graph says over them
    worker_hash   when workers are replaced
    several_nodes the pods of a component that needs more than one
    scaling       adapters, through which autoscalers choose replicas
    workloads     Deployments, Services and accounts of a graph
    rollout       how many workers of before and of now there are meanwhile
    status        what the graph says of itself
    controller    does it all again whenever something changes

Sources: ai-dynamo/dynamo deploy/operator, 1.2 to 1.6, named where they matter. It is not that
operator: what it leaves out stands in docs/clusters.md.
"""
