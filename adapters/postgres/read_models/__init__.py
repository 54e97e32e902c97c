"""Read models: tables that follow the log, each with its position in the same transaction.

A read model is a module here with a class that keeps the promises of `model.ReadModel`, and a line in
`registry.py`. `catch_up.py` drives them all, `rebuild.py` builds one again from the log.
"""
