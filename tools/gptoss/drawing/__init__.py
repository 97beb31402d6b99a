"""Pictures as SVG, PNG and text: scales, axes, marks, and labels that keep apart."""
