"""Every test of the project. Folders mirror the rooms; `live`, `leaks` and `architecture` look at the whole."""
