"""What the survival tests share: counts, units of work, a disk that forgets, faults on demand."""
