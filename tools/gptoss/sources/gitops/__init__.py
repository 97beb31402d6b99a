"""What Argo CD and Flux install of the chart, by the objects that they are given."""
