"""A memory that another process serves: the same methods as an open one, over HTTP."""
