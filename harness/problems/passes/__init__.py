"""Problem ``passes``: a list of passes that stock ``opt`` runs in place of clang's optimise step."""
