"""Profiles of single kernels: events streamed, shapes turned into operations and bytes."""
