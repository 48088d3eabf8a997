"""How good a model's numbers are; later, how they are made smaller."""
