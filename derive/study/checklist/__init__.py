"""The on-call checklist: what each line answers, with the numbers of this deployment."""

from derive.study.checklist.rows import checklist

__all__ = ["checklist"]
