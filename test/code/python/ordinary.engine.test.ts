import { afterAll, beforeAll, expect, test } from "vitest";
import type { CodeContext } from "../../../packages/biplane/src/code/engine.ts";
import { pythonEngine } from "../../../packages/biplane/src/code/python/engine.ts";
import { valueOf } from "./fixture.ts";

const engine = pythonEngine({ warm: 0 });
let context: CodeContext;

beforeAll(async () => {
  context = await engine.open({ tools: [] });
});
afterAll(() => engine.close());

test.each<[what: string, code: string, value: unknown]>([
  [
    "re",
    "import re\nre.findall(r'(\\w+)@(\\w+)', 'a@b c@d')",
    [
      ["a", "b"],
      ["c", "d"],
    ],
  ],
  ["json", "import json\njson.loads(json.dumps({'a': [1, None, True]}))", { a: [1, null, true] }],
  ["datetime", "from datetime import date, timedelta\ndate(2024, 2, 28) + timedelta(days=2)", "2024-03-01"],
  [
    "zones",
    "from datetime import datetime, timezone\ndatetime(2026, 1, 1, tzinfo=timezone.utc)",
    "2026-01-01T00:00:00+00:00",
  ],
  ["Counter", "from collections import Counter\nCounter('hello').most_common(1)", [["l", 2]]],
  ["defaultdict", "from collections import defaultdict\nd = defaultdict(list)\nd['a'].append(1)\nd", { a: [1] }],
  [
    "itertools",
    "import itertools\nlist(itertools.combinations('abc', 2))",
    [
      ["a", "b"],
      ["a", "c"],
      ["b", "c"],
    ],
  ],
  ["functools", "import functools\nfunctools.reduce(lambda a, b: a * b, range(1, 6))", 120],
  [
    "lru_cache",
    "@functools.lru_cache\ndef fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)\nfib(60)",
    1548008755920,
  ],
  ["random", "import random\nr = random.Random(1)\n[r.randint(1, 6) for _ in range(5)]", [2, 5, 1, 3, 1]],
  ["statistics", "import statistics\n[statistics.mean([1, 2, 6]), statistics.median([3, 1, 2])]", [3, 2]],
  ["csv", "import csv, io\nlist(csv.DictReader(io.StringIO('a,b\\n1,2\\n')))", [{ a: "1", b: "2" }]],
  ["decimal", "from decimal import Decimal\nDecimal('0.1') + Decimal('0.2')", "0.3"],
  ["math", "import math\n[math.gcd(12, 18), math.isqrt(17), math.floor(math.pi * 100)]", [6, 4, 314]],
  ["big integers", "str(2 ** 100)", "1267650600228229401496703205376"],
  [
    "dataclasses",
    "from dataclasses import dataclass, field\n@dataclass(order=True)\nclass P:\n  n: int\n  t: list = field(default_factory=list)\nmax(P(1), P(2))",
    { n: 2, t: [] },
  ],
  [
    "typing",
    "from typing import Optional\ndef f(x: Optional[int] = None) -> list[int]: return [x or 0]\nf.__annotations__['return'].__name__",
    "list",
  ],
  ["type hints of classes", "import typing\nclass T:\n  a: int\nlist(typing.get_type_hints(T))", ["a"]],
  [
    "generators",
    "def evens():\n  n = 0\n  while True:\n    yield n\n    n += 2\nlist(itertools.islice(evens(), 3))",
    [0, 2, 4],
  ],
  ["send", "def total():\n  s = 0\n  while True: s += yield s\nt = total(); next(t); t.send(3); t.send(4)", 7],
  [
    "match",
    "def kind(v):\n  match v:\n    case {'a': int(n)} if n > 1: return n\n    case [x, *rest]: return rest\n    case _: return 'other'\n[kind({'a': 2}), kind([1, 2, 3]), kind(0)]",
    [2, [2, 3], "other"],
  ],
  [
    "comprehensions",
    "[{k: v for k, v in zip('ab', range(2))}, sorted({x % 3 for x in range(9)}), [y for x in [[1], [2]] for y in x]]",
    [{ a: 0, b: 1 }, [0, 1, 2], [1, 2]],
  ],
  ["walrus", "[y for x in [1, 2, 3] if (y := x * x) > 2]", [4, 9]],
  [
    "classes",
    "class Stack:\n  def __init__(self): self._items = []\n  def push(self, x): self._items.append(x); return self\n  def __len__(self): return len(self._items)\n  @property\n  def top(self): return self._items[-1]\ns = Stack().push(1).push(2)\n[len(s), s.top]",
    [2, 2],
  ],
  [
    "inheritance",
    "class A:\n  def hi(self): return 'A'\nclass B(A):\n  def hi(self): return super().hi() + 'B'\nclass C(B): pass\n[C().hi(), C.__mro__[1].__name__]",
    ["AB", "B"],
  ],
  [
    "abstract classes",
    "from abc import ABC, abstractmethod\nclass Shape(ABC):\n  @abstractmethod\n  def area(self): ...\ntry:\n  Shape()\nexcept TypeError as e:\n  r = 'abstract' in str(e)\nr",
    true,
  ],
  [
    "own exceptions",
    "class Mine(Exception):\n  def __init__(self, n): self.n = n\ntry:\n  raise Mine(3)\nexcept Mine as e:\n  r = e.n\nfinally:\n  done = True\n[r, done]",
    [3, true],
  ],
  [
    "exception groups",
    "try:\n  raise ExceptionGroup('g', [ValueError('a')])\nexcept* ValueError as g:\n  r = len(g.exceptions)\nr",
    1,
  ],
  ["f-strings", "x = 3.14159\nf'{x:.2f} {x=:.1f} {\"a\":>3} {10_000:,} {255:#x}'", "3.14 x=3.1   a 10,000 0xff"],
  ["% and format", "'%s-%03d' % ('a', 7) + '{:>4}'.format('b')", "a-007   b"],
  ["slices and unpacking", "a, *b, c = [1, 2, 3, 4]\n[b[::-1], c, 'hello'[1:-1]]", [[3, 2], 4, "ell"]],
  ["sorting", "sorted([{'n': 2}, {'n': 1}], key=lambda d: d['n'], reverse=True)", [{ n: 2 }, { n: 1 }]],
  [
    "context managers",
    "from contextlib import contextmanager\nlog = []\n@contextmanager\ndef c():\n  log.append('in')\n  yield 1\n  log.append('out')\nwith c() as n: log.append(n)\nlog",
    ["in", 1, "out"],
  ],
  [
    "decorators",
    "def twice(f):\n  @functools.wraps(f)\n  def w(*a, **k): return f(*a, **k) * 2\n  return w\n@twice\ndef add(a, b=1): return a + b\n[add(2), add.__name__]",
    [6, "add"],
  ],
  [
    "closures",
    "def counter():\n  n = 0\n  def step():\n    nonlocal n\n    n += 1\n    return n\n  return step\nc = counter(); c(); c()",
    2,
  ],
  ["global", "total = 0\ndef add():\n  global total\n  total += 1\nadd(); add()\ntotal", 2],
  ["enum", "from enum import Enum, auto\nclass E(Enum):\n  A = auto()\n  B = auto()\n[e.name for e in E]", ["A", "B"]],
  ["heapq and bisect", "import heapq, bisect\n[heapq.nsmallest(2, [3, 1, 2]), bisect.bisect([1, 3], 2)]", [[1, 2], 1]],
  [
    "hashlib and base64",
    "import hashlib, base64\n[hashlib.sha256(b'').hexdigest()[:8], base64.b64encode(b'hi').decode()]",
    ["e3b0c442", "aGk="],
  ],
  [
    "textwrap and string",
    "import textwrap, string\n[textwrap.fill('aa bb', 3), string.ascii_lowercase[:3]]",
    ["aa\nbb", "abc"],
  ],
  [
    "urllib.parse",
    "from urllib.parse import urlparse, urlencode\n[urlparse('http://a.b/c?d=1').path, urlencode({'q': 'a b'})]",
    ["/c", "q=a+b"],
  ],
  [
    "files",
    "with open('/data.txt', 'w') as f: f.write('a\\nb\\n')\nwith open('/data.txt') as f: lines = f.readlines()\nlines",
    ["a\n", "b\n"],
  ],
  [
    "pathlib",
    "from pathlib import Path\nPath('/d/e').mkdir(parents=True, exist_ok=True)\nPath('/d/e/x.txt').write_text('hi')\n[p.name for p in Path('/d').rglob('*.txt')]",
    ["x.txt"],
  ],
  [
    "tempfile",
    "import tempfile\nwith tempfile.TemporaryDirectory() as d:\n  p = Path(d) / 'f'; p.write_bytes(b'12'); n = p.stat().st_size\n[n, p.exists()]",
    [2, false],
  ],
  [
    "os and shutil",
    "import os, shutil\nshutil.copy('/data.txt', '/copy.txt'); os.rename('/copy.txt', '/d/copy.txt'); os.remove('/data.txt')\n[sorted(os.listdir('/d')), os.path.exists('/data.txt')]",
    [["copy.txt", "e"], false],
  ],
  [
    "sqlite3",
    "import sqlite3\ndb = sqlite3.connect(':memory:')\ndb.execute('create table t (n)'); db.executemany('insert into t values (?)', [(1,), (2,)])\ndb.execute('select sum(n) from t').fetchone()",
    [3],
  ],
  [
    "zip",
    "import zipfile\nb = io.BytesIO()\nwith zipfile.ZipFile(b, 'w') as z: z.writestr('a', 'x')\nzipfile.ZipFile(b).namelist()",
    ["a"],
  ],
  ["gzip", "import gzip\ngzip.decompress(gzip.compress(b'abc'))", "abc"],
  [
    "xml and html",
    "import xml.etree.ElementTree as E, html\n[E.fromstring('<a><b>1</b></a>').find('b').text, html.unescape('&lt;')]",
    ["1", "<"],
  ],
  [
    "logging",
    "import logging, io\ns = io.StringIO()\nl = logging.getLogger('x'); l.addHandler(logging.StreamHandler(s)); l.warning('hey')\ns.getvalue()",
    "hey\n",
  ],
  [
    "pickle and copy",
    "import pickle, copy\n[pickle.loads(pickle.dumps({'a': (1,)})), copy.deepcopy([[1]])]",
    [{ a: [1] }, [[1]]],
  ],
  ["pickled classes", "class Thing:\n  n = 1\npickle.loads(pickle.dumps(Thing())).n", 1],
  [
    "asyncio",
    "import asyncio\nasync def w(n):\n  await asyncio.sleep(0.001)\n  return n\nasync def m(): return await asyncio.gather(*(w(i) for i in range(3)))\nasyncio.run(m())",
    [0, 1, 2],
  ],
  [
    "async with queue",
    "async def go():\n  q = asyncio.Queue()\n  await q.put(1)\n  async with asyncio.timeout(1): return await q.get()\nawait go()",
    1,
  ],
  [
    "time",
    "import time\nt = time.time(); time.sleep(0.002)\n[time.time() > t, time.perf_counter() > 0, time.strftime('%Y', time.gmtime(0))]",
    [true, true, "1970"],
  ],
  [
    "unicode",
    "import unicodedata\n[unicodedata.normalize('NFD', 'é').__len__(), '日本'.encode().hex(), 'ß'.upper()]",
    [2, "e697a5e69cac", "SS"],
  ],
  ["struct and bytes", "import struct\nstruct.unpack('<HI', struct.pack('<HI', 1, 2))", [1, 2]],
  ["eval and exec", "ns = {}\nexec('y = 2', ns)\neval('y * 3', ns)", 6],
  [
    "argparse",
    "import argparse\np = argparse.ArgumentParser(); p.add_argument('--n', type=int)\np.parse_args(['--n', '3']).n",
    3,
  ],
  ["difflib", "import difflib\ndifflib.get_close_matches('appel', ['apple', 'bear'])", ["apple"]],
  ["secrets and uuid", "import secrets, uuid\n[len(secrets.token_hex(4)), len(str(uuid.uuid4()))]", [8, 36]],
  ["script guard", "def main(): return 'ran'\nif __name__ == '__main__':\n  result = main()\nresult", "ran"],
  ["type parameters", "def first[T](items: list[T]) -> T: return items[0]\ntype Pair = tuple[int, int]\nfirst([1])", 1],
  ["nested values", "v = 0\nfor _ in range(60): v = [v]\nv", JSON.parse(`${"[".repeat(60)}0${"]".repeat(60)}`)],
])("%s", async (_what, code, expected) => {
  expect(await valueOf(context, code)).toEqual(expected);
});
