"""A claim's own figures against each other: laws, printed arithmetic, two writings of a value."""
