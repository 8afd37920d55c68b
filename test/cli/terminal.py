"""Runs a program in a terminal of its own: waits for texts, types keys, and tells what was on the screen."""
import fcntl, json, os, pty, re, select, signal, struct, sys, termios, time

plan = json.loads(sys.argv[1])
pid, terminal = pty.fork()
if pid == 0:
    os.environ.update(plan["environment"])
    os.execv(plan["command"], [plan["command"], *plan["args"]])
fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", plan["rows"], plan["columns"], 0, 0))
os.kill(pid, signal.SIGWINCH)

output = b""
deadline = time.time() + plan["seconds"]


def read():
    """Reads what there is; false when the program has gone."""
    global output
    ready, _, _ = select.select([terminal], [], [], max(0, deadline - time.time()))
    if not ready:
        return False
    try:
        chunk = os.read(terminal, 65536)
    except OSError:
        return False
    output += chunk
    return chunk != b""


def plain(text):
    return re.sub(r"\x1b\[[?\d;]*[A-Za-z]", "", text.decode("utf-8", "replace"))


frames = []
seen = 0
for step in plan["steps"]:
    while step["see"] not in plain(output[seen:]):
        if not read():
            break
    frames.append(plain(output[seen:]))
    seen = len(output)
    if step.get("type"):
        os.write(terminal, step["type"].encode())
    if step.get("signal"):
        os.kill(pid, getattr(signal, step["signal"]))
while read():
    pass
if time.time() >= deadline:
    os.kill(pid, signal.SIGKILL)
_, status = os.waitpid(pid, 0)
ended = {"code": os.waitstatus_to_exitcode(status), "frames": frames, "output": output.decode("utf-8", "replace")}
print(json.dumps(ended))
