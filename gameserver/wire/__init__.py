"""What travels: one set of message models, and a strict codec for them.

The schemas and the message reference are generated from `messages`. This package knows no table, no connection and no
identity: it turns bytes into a message or a refusal, and a message into bytes.
"""
