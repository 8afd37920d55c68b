"""Eval Protocol starts servers as Python files. This one replaces itself with our server, on the given port."""

import os
import pathlib
import sys

root = pathlib.Path(__file__).parent.parent
os.chdir(root.parent)
words = ["node", "--import", "tsx", "--conditions=biplane-source", str(root / "server.ts"), *sys.argv[1:]]
os.execvp("node", words)
