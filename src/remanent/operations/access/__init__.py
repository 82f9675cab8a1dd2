"""Who may do what, and what was done: principals, keys and the audit log.

All of it lies on the shelf of the store and with no agent: files under the home folder, or rows that all servers of a
database share. It concerns every agent, must be readable when an agent's data is not, and must not be erased with one.
What must not lie beside it, the key of the seals and the pepper, stays on each machine: `chain.py`, `keys.py`.
"""
