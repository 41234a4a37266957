"""Kinds of layer parts: attention, state-space mixers, feed-forward networks, towers."""
