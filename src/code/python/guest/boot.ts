import { actionsSource } from "./actions.ts";
import { toolsSource } from "./tools.ts";
import { valuesSource } from "./values.ts";

/** Where the interpreter keeps its count of nested calls is found by it. A context has a limit of its own. */
export const markedRecursionLimit = 765_431;

/** What agents use most, loaded once and for all. */
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


def open_context(order):
    state.call_bytes = order["call_bytes"]
    state.value_bytes = order["value_bytes"]
    sys.stdout = stream(1)
    sys.stderr = stream(2)
    sys.setrecursionlimit(order["recursion"])
    random.seed(order["seed"] if order["seed"] is not None else int.from_bytes(os.urandom(32)))
    main = types.ModuleType("__main__")
    main.__builtins__ = builtins
    sys.modules["__main__"] = main
    namespace = state.namespace = main.__dict__
    state.specs = order["tools"]
    tools = Tools()
    for spec in state.specs:
        tools[spec["name"]] = namespace[spec["alias"]] = make_tool(spec)
    namespace["tools"] = tools
    return {}


def resume_context(order):
    """The limits and the randomness of a context that begins with a snapshot."""
    state.call_bytes = order["call_bytes"]
    state.value_bytes = order["value_bytes"]
    return {}


def stream(number):
    raw = io.FileIO(number, "w", closefd=False)
    return io.TextIOWrapper(raw, "utf-8", "backslashreplace", "\n", write_through=True)


def take():
    """Takes one message from the host and answers it. Called by the host; everything else is called from here."""
    try:
        order = decode_json(hear().decode())
        kind = order["kind"]
        if kind == "action":
            reply = act(order["code"])
        else:
            reply = open_context(order) if kind == "open" else resume_context(order)
        body = encode_json(reply).encode()
    except MemoryError:
        body = b'{"error":{"kind":"limit","name":"MemoryError","message":"The code used all of its memory"}}'
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
 * The program the interpreter starts with. Ours has built-ins of its own, so that code that replaces `len` breaks
 * itself and nothing here. It ends by saying where `take` lies, and then by looking at the clock.
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
