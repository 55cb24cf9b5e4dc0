"""The record of agents' decisions: every turn as it was, kept on demand, read by its owner. Imports the gates, and nothing else of ours.

record, hooks            a finished turn, and where a recorder takes hold of an agent program
library, turn            for any agent program: turns that it tells of while it decides
recorder                 takes turns and sees that they get into the buffer; entry, losses, redaction
captured                 a turn as it is read back; transcript and stored, as bytes
buffer, durable, ledger  where turns lie for a day, those that somebody kept, what they cost
reads, http              who reads, keeps and deletes what; the same over HTTP
telemetry                turns as OpenTelemetry spans
"""
