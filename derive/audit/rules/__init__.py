"""The rules, one topic a module, found by listing the folder."""
