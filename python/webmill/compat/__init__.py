"""Functions with the arguments of other libraries."""
