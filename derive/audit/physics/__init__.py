"""What a model on hardware can do: settings of a claim, bounds, what would have to be true."""
