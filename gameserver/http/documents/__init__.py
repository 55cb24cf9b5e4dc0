"""The protocol for machines: `/openapi.json`, `/asyncapi.json`, `/llms.txt` and the schemas, and the page docs/http.md.

Everything is made from the message models, the routes of the application and one typed description of each route. It describes
what is there and decides nothing.
"""
