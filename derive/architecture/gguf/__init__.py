"""GGUF files of llama.cpp: the header alone, read as the config and the tensors of a model."""

from derive.architecture.gguf.check import checks
from derive.architecture.gguf.names import stored
from derive.architecture.gguf.opening import Held, open_gguf

__all__ = ["Held", "checks", "open_gguf", "stored"]
