"""A model's config.json in; exact parameters, bytes, KV cache and FLOPs out, each derived."""

from derive.architecture.record import Architecture, read

__all__ = ["Architecture", "read"]
