"""Audit of a claim: what the words can mean, what follows from them, and whether both can hold."""
