"""How fast, side by side with peers in one run: `python -m benchmarks`. Never a timed test: figures depend on the machine."""
