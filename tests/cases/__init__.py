"""The casebook: poker situations with one right outcome each, and recorded hands."""
