"""Proving a ledger again, from its own text alone.

Every line is read back by the grammar and computed with pint quantities and exact fractions; the
derivation engine's evaluation is not used. The hash shows any change; the recomputation shows a
changed number, unit or operator even where the hash was made right again.
"""

from derive.verify.judge import verify
from derive.verify.reading import load_ledger
from derive.verify.whole import verify_file

__all__ = ["load_ledger", "verify", "verify_file"]
