"""The record over HTTP, for a host application to put among its routes: operators' reads in one module, owners' in another.

Who asks, how a body is read, and the audit are the host's, and come as arguments. A refusal of the gate is raised as
PolicyRefusal, and a request that makes no sense as HTTPException 400: the host's handlers turn them into answers.
"""
