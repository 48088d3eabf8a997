"""One file a family, one declaration an architecture."""
