"""The walls of the project, checked on its source.

Each check is a function over a source root that returns what it found, one line each, so that a test can plant a violation in
a copy and see it found. A pinned list beside a check is changed by hand, in the commit that means it.
"""
