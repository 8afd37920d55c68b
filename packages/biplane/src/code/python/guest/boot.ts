import { actionsSource } from "./actions.ts";
import { toolsSource } from "./tools.ts";
import { valuesSource } from "./values.ts";

/** A unique number that locates the interpreter's call counter in memory. Contexts set their own limit. */
export const markedRecursionLimit = 765_431;

/** Modules that agents use most, imported once for the image. */
const preloaded = `argparse, array, asyncio, base64, binascii, bisect, calendar, cmath, collections, contextlib, copy, csv,
  dataclasses, datetime, decimal, difflib, enum, fnmatch, fractions, functools, glob, gzip, hashlib, heapq, hmac, html,
  io, itertools, json, logging, math, numbers, operator, os, pathlib, pickle, pprint, queue, random, re, secrets, shutil,
  statistics, string, struct, tempfile, textwrap, threading, time, traceback, types, typing, unicodedata, urllib.parse,
  uuid, zlib, zoneinfo, xml.etree.ElementTree`;

const dispatchSource = String.raw`
import builtins, io, random, sys, time


class State:
    count = 0
    specs = ()
    namespace = None
    call_bytes = value_bytes = 0


state = State()


def open_context(message):
    state.call_bytes = message["call_bytes"]
    state.value_bytes = message["value_bytes"]
    sys.stdout = stream(1)
    sys.stderr = stream(2)
    sys.setrecursionlimit(message["recursion"])
    random.seed(message["seed"] if message["seed"] is not None else int.from_bytes(os.urandom(32)))
    main = types.ModuleType("__main__")
    main.__builtins__ = builtins
    sys.modules["__main__"] = main
    namespace = state.namespace = main.__dict__
    state.specs = message["tools"]
    tools = Tools()
    for spec in state.specs:
        tools[spec["name"]] = namespace[spec["alias"]] = make_tool(spec)
    namespace["tools"] = tools
    return {}


def resume_context(message):
    """Sets the limits of a context that starts from a snapshot."""
    state.call_bytes = message["call_bytes"]
    state.value_bytes = message["value_bytes"]
    return {}


def stream(number):
    raw = io.FileIO(number, "w", closefd=False)
    return io.TextIOWrapper(raw, "utf-8", "backslashreplace", "\n", write_through=True)


def take():
    """Handles one message of the host. This is the only function the host calls."""
    try:
        message = decode_json(receive().decode())
        kind = message["kind"]
        if kind == "action":
            reply = act(message["code"])
        else:
            reply = open_context(message) if kind == "open" else resume_context(message)
        body = encode_json(reply).encode()
    except MemoryError:
        body = b'{"error":{"kind":"limit","name":"MemoryError","message":"The code exceeded its memory limit."}}'
    except BaseException:
        body = b"broken"
    if state.count % 16 == 0:
        gc.collect()
    write_line(0, b"R" + body)


for made, value in {
    "ToolError": ToolError,
    "list_tools": list_tools,
    "search_tools": search_tools,
    "get_tool_schema": get_tool_schema,
    "help": help,
    "exit": sys.exit,
    "quit": sys.exit,
    "__awaitable__": awaitable,
}.items():
    setattr(builtins, made, value)
`;

/**
 * The program the interpreter starts with. It has its own copy of the built-ins, so agent code cannot break it. At the
 * end it reports the address of `take` and reads the clock, which stops it.
 */
export const bootSource = String.raw`
import ${preloaded.replaceAll(/\s+/g, " ")}
import builtins as real
program = ${JSON.stringify([valuesSource, toolsSource, actionsSource, dispatchSource].join("\n"))}
ours = {"__name__": "biplane", "__builtins__": dict(vars(real))}
exec(compile(program, "<biplane>", "exec"), ours)
take = ours["take"]
import gc, sys
gc.collect()
gc.freeze()
sys.setrecursionlimit(${markedRecursionLimit})
os.write(0, f"{id(take)} {id(type(take))}".encode())
time.monotonic()
`;
