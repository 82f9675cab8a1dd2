"""Language work by a model: any provider, with all that can go wrong there caught here."""
