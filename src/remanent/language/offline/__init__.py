"""Language work without a model: deterministic, modest, honest about what it is."""
