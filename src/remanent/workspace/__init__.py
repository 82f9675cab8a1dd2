"""Memory in a folder of Markdown files that people can read: facts by day, search, and a place in every prompt."""
