"""A figure against the spec of its product: every value it may be, and what sets each apart."""
