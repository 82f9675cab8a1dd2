"""What adapters that speak HTTP share: a bounded client, retries, and keeping keys out of what people read."""
