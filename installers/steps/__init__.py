"""The steps of `bootstrap.py`: facts in, decisions as data, commands out."""
