"""One module per family; `FAMILIES` of each is read by `family.families`."""
