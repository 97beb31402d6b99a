"""Checks, explains and measures deployments of gpt-oss-120b before anything is installed.

A map of the house; each room uses those above it::

    text            files as text: YAML with places, shell, secrets, whole files
    drawing         pictures as SVG, PNG and text: scales, axes, marks, labels
    facts           what is known about the outside world (schema/)
    command_lines   what a program makes of its words (argparse, click, cyclopts)
    deployment      the one model: components, workers, settings with who set them
    precedence      who sets each engine setting, and who wins
    sources         what people have -> Deployment: chart, kubernetes, containers, truss
    memory          what lies in a GPU's memory, and what fits into its KV cache
    rules           Deployment -> findings, a folder a family
    checking        runs the rules; suppressions and configuration
    fixing          changes that mend findings, tried before they are written
    reports         findings as text, json, sarif, junit, for GitHub and GitLab
    values          the values contract of the chart, as a typed model
    showing         what is in force, what the benchmark sends, what is shipped
    comparing       two deployments, or two releases, held against each other
    importing       a Deployment as a values file of the chart
    rendering       a target as compose file, script, kustomize or values
    live            a target run without a GPU, and any server asked
    cluster         a live cluster asked: what it has, what runs, where it stands
    planning        how fast it will be, what holds it up, what the same GPUs could do
    benchmarking    benchmarks run and reported
    cli             what is typed
"""

__version__ = "0.1.0"
