"""The table server's routes over plain HTTP: tables, people and their agents, operators, and problem documents for what goes wrong.

    Starlette(routes=[*table_routes(lobby, identify), *health_routes(readiness)], exception_handlers=problem_handlers())

Routes are built by functions that take what they need, so they can be mounted under any prefix. This room asks and answers;
who may see what was decided by whoever is behind its ports.
"""
