"""Who may do what, and what was done: principals, keys and the audit log.

All of it lies in files under the home folder and not in a database: it concerns every agent, must be readable when an
agent's database is not, and must not be erased with one.
"""
