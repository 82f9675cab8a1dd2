"""A memory that forgets as people do, and knows it: linked nodes, focuses, decay, compression."""
