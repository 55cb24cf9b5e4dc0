"""Whole-system attacks: two worlds that differ in what a viewer may not see, and every byte that this viewer can get.

docs/leaks.md says what is compared with what, and how to add a viewer, a way out, an attack.
"""
