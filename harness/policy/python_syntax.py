"""Whether standard input is Python that defines a function: a JSON object with the ``fault`` and its ``line``.

usage: python_syntax.py FUNCTION

A script of its own, run by ``python_check`` in a process with limits. It runs nothing of what it reads.
"""

import ast
import json
import sys


def fault_of(content: bytes, function: str) -> tuple[str, int | None]:
    """What is wrong, and the line; empty where nothing is."""
    try:
        tree = ast.parse(content)
    except (SyntaxError, ValueError, RecursionError) as error:
        line = error.lineno if isinstance(error, SyntaxError) else None
        return f"not Python: {str(error.args[0] if error.args else error)[:200]}", line
    defined: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            defined.add(node.name)
        elif isinstance(node, ast.Assign):
            defined |= {target.id for target in node.targets if isinstance(target, ast.Name)}
        elif isinstance(node, ast.ImportFrom):
            defined |= {alias.asname or alias.name for alias in node.names}
    return ("", None) if function in defined else (f"defines no function {function}", None)


if __name__ == "__main__":
    fault, line = fault_of(sys.stdin.buffer.read(), sys.argv[1])
    print(json.dumps({"fault": fault, "line": line}))
