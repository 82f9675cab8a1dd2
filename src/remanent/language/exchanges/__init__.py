"""What is asked of each role and what comes back: requests and responses, the same with a model and without."""
