"""Hardware, models, calibrations and scenarios: loading, validation, provenance."""
