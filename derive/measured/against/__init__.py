"""A run held against the bound of its scenario: values, shares, what they mean, what to try."""
