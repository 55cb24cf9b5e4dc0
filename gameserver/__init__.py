"""The table server.

Imports run downwards only: http and net, floor, views and store, table, hand, wire and identity; below all of them, policy.
"""
