"""What can be said about a text without asking anything else: its search terms, its language, a short excerpt."""
