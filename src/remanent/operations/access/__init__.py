"""Who may do what, and what was done: principals, keys and the audit log."""
