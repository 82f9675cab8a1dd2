"""The pages that people look after a memory with: one shell and a few modules that ask the REST operations.

Nothing is built, and nothing is fetched from another host: what we did not write lies in `static/vendor`, as its
authors published it, with its licences and its hashes.
"""
