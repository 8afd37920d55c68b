"""What Eval Protocol starts as a server: Python by name only. It becomes our server, on the port it is given."""

import os
import pathlib
import sys

root = pathlib.Path(__file__).parent.parent
os.chdir(root.parent)
words = ["node", "--import", "tsx", "--conditions=biplane-source", str(root / "server.ts"), *sys.argv[1:]]
os.execvp("node", words)
