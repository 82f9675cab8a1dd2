"""Measuring Remanent: generated and public data, runners, reports."""
