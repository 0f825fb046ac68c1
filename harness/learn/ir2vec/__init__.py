"""The vocabulary of IR2Vec that sessions embed modules with: how it was learned, to be done again.

``python -m harness.learn.ir2vec --output native/session/ir2vec.json``
"""
