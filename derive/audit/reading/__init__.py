"""Reading of a claim: its figures, products, models and conditions. Nothing is judged here."""
