/** Code that means harm, and what becomes of it: the name of an error, or a value. */
export interface Attack {
  readonly name: string;
  readonly code: string;
  readonly error?: string | RegExp;
  readonly value?: unknown;
}

export const escapes: readonly Attack[] = [
  { name: "a shell", code: "import os\nos.system('id')", error: "AttributeError" },
  { name: "popen", code: "import os\nos.popen('id').read()", error: "OSError" },
  { name: "subprocess", code: "import subprocess\nsubprocess.run(['id'])", error: "OSError" },
  { name: "fork and exec", code: "import os\nos.execv('/bin/sh', ['sh'])", error: "AttributeError" },
  { name: "fork", code: "import os\nos.fork()", error: "AttributeError" },
  { name: "spawn", code: "import os\nos.posix_spawn('/bin/sh', ['sh'], {})", error: "AttributeError" },
  { name: "kill", code: "import os\nos.kill(1, 9)", error: "AttributeError" },
  { name: "ctypes", code: "import ctypes", error: "ModuleNotFoundError" },
  {
    name: "native modules",
    code: "import importlib.machinery as m\nm.ExtensionFileLoader('x', '/lib/x.so').load_module('x')",
    error: "AttributeError",
  },
  {
    name: "native import hooks",
    code: "import _imp, importlib.machinery as m\n_imp.create_dynamic(m.ModuleSpec('x', None, origin='/lib/x.so'))",
    error: "AttributeError",
  },
  { name: "mmap", code: "import mmap", error: "ModuleNotFoundError" },
  {
    name: "js bridges",
    code: "found = []\nfor m in ('js', 'pyodide', 'pyodide_js', '_pyodide', 'micropip', 'node'):\n  try:\n    __import__(m); found.append(m)\n  except ImportError: pass\nfound",
    value: [],
  },
  { name: "the environment", code: "import os\ndict(os.environ)", value: {} },
  {
    name: "command line and executable",
    code: "import sys\n[sys.executable, sys.orig_argv[:1], sys.platform]",
    value: ["", ["python"], "wasi"],
  },
  { name: "host files by absolute path", code: "open('/etc/passwd').read()", error: "FileNotFoundError" },
  { name: "host files through /proc", code: "open('/proc/self/environ').read()", error: "FileNotFoundError" },
  { name: "host files by climbing", code: "open('/../../../../../../etc/passwd').read()", error: "PermissionError" },
  {
    name: "host files by climbing from the library",
    code: "open('/usr/local/lib/python3.12/../../../../../etc/passwd').read()",
    error: "NotADirectoryError",
  },
  { name: "host files relative", code: "open('package.json').read()", error: "FileNotFoundError" },
  { name: "symlinks out", code: "import os\nos.symlink('/etc', '/link')", error: "PermissionError" },
  { name: "hard links", code: "import os\nopen('/h', 'w').close()\nos.link('/h', '/h2')", error: "PermissionError" },
  {
    name: "writing into the library",
    code: "open('/usr/local/lib/python3.12/json/__init__.py', 'w').write('x')",
    error: "FileNotFoundError",
  },
  {
    name: "other file descriptors",
    code: "import os\nfound = []\nfor fd in range(4, 300):\n  try:\n    os.fstat(fd); found.append(os.read(fd, 10))\n  except OSError: pass\nfound",
    value: [],
  },
  {
    name: "a folder as a file",
    code: "import os\nfd = os.open('/', os.O_RDONLY)\nos.read(fd, 10)",
    error: "IsADirectoryError",
  },
  { name: "chroot and chdir", code: "import os\nos.chdir('/..')\nos.getcwd()", error: "PermissionError" },
  { name: "sockets", code: "import socket\nsocket.create_connection(('127.0.0.1', 80), 1)", error: "AttributeError" },
  { name: "raw sockets", code: "import socket\nsocket.socket()", error: "OSError" },
  { name: "name lookup", code: "import socket\nsocket.gethostbyname('localhost')", error: "AttributeError" },
  {
    name: "urllib",
    code: "import urllib.request\nurllib.request.urlopen('http://127.0.0.1/')",
    error: "AttributeError",
  },
  {
    name: "urllib with a file",
    code: "import urllib.request\nurllib.request.urlopen('file:///etc/passwd').read()",
    error: "URLError",
  },
  { name: "a server", code: "import http.server\nhttp.server.HTTPServer(('', 0), None)", error: "OSError" },
  {
    name: "__subclasses__",
    code: "[c for c in object.__subclasses__() if c.__name__ == 'Popen'][0](['id'])",
    error: "OSError",
  },
  {
    name: "builtins through a function",
    code: "(lambda: 0).__globals__['__builtins__'].open('/etc/passwd')",
    error: "FileNotFoundError",
  },
  {
    name: "frames up to the engine",
    code: "import sys\nf = sys._getframe()\nnames = []\nwhile f:\n  names.append(f.f_code.co_filename.split()[0]); f = f.f_back\nnames",
    value: ["<action", "<biplane>", "<biplane>", "<biplane>", "<string>"],
  },
  {
    name: "objects of the engine by gc",
    code: "import gc\nsorted({type(o).__name__ for o in gc.get_objects() if type(o).__module__ == 'biplane'})",
    value: ["Symbol"],
  },
  {
    name: "host words in memory",
    code: "import gc\n[s for o in gc.get_objects() if isinstance(o, dict) for s in list(o.values()) if isinstance(s, str) and 'node_modules' in s]",
    value: [],
  },
  {
    name: "crafted bytecode",
    code: "def f(): pass\nf.__code__ = f.__code__.replace(co_code=bytes([116, 255] * 50), co_stacksize=1)\nf()",
    error: /SystemError|InterpreterError/,
  },
  {
    name: "bytecode beyond its constants",
    code: "def f(): pass\nf.__code__ = f.__code__.replace(co_code=bytes([100, 200, 83, 0]))\nf()",
  },
  {
    name: "a forged closure cell",
    code: "import types\ndef outer():\n  x = 1\n  def f(): return x\n  return f\ng = outer()\ntypes.FunctionType(g.__code__, {}, 'g', None, (types.CellType(),))()",
    error: "NameError",
  },
  {
    name: "the interpreter's own crash functions",
    code: "import _testcapi\n_testcapi.crash_no_current_thread()",
    error: "InterpreterError",
  },
  { name: "a fatal error", code: "import _testcapi\n_testcapi.fatal_error(b'x')", error: "InterpreterError" },
  { name: "faulthandler", code: "import faulthandler\nfaulthandler._sigsegv()", error: "InterpreterError" },
  { name: "abort", code: "import os\nos.abort()", error: "InterpreterError" },
  { name: "exit of the process", code: "import os\nos._exit(0)", error: "SystemExit" },
  { name: "exit with a code", code: "import sys\nsys.exit(3)", error: "SystemExit" },
  { name: "signals", code: "import signal\nsignal.raise_signal(signal.SIGKILL)", error: "InterpreterError" },
  { name: "alarm", code: "import signal\nsignal.alarm(1)", error: "AttributeError" },
  {
    name: "threads that outlive the action",
    code: "import threading\nthreading.Thread(target=print).start()",
    error: "RuntimeError",
  },
  { name: "sub-interpreters", code: "import _xxsubinterpreters", error: "ModuleNotFoundError" },
  { name: "audit hooks", code: "import sys\nsys.addaudithook(lambda *a: None)\n1", value: 1 },
];

export const exhaustion: readonly Attack[] = [
  { name: "an endless loop", code: "while True: pass", error: "CpuLimit" },
  {
    name: "an endless loop that catches everything",
    code: "while True:\n  try:\n    while True: pass\n  except BaseException: pass",
    error: "CpuLimit",
  },
  { name: "endless work in C", code: "sum(iter(int, 1))", error: "CpuLimit" },
  { name: "an enormous power", code: "10 ** 10 ** 8", error: /CpuLimit|MemoryError/ },
  { name: "catastrophic backtracking", code: "import re\nre.match('(a+)+$', 'a' * 40 + 'b')", error: "CpuLimit" },
  { name: "sleeping for ever", code: "import time\ntime.sleep(10 ** 6)", error: "CpuLimit" },
  {
    name: "a result that never ends to be printed",
    code: "class A:\n  def __repr__(self):\n    while True: pass\nA()",
    error: "CpuLimit",
  },
  { name: "endless iteration of a result", code: "import itertools\nitertools.count()" },
  {
    name: "a mapping without end",
    code: "import collections.abc\nclass M(collections.abc.Mapping):\n  def __len__(self): return 1\n  def __iter__(self):\n    n = 0\n    while True:\n      yield n\n      n += 1\n  def __getitem__(self, key): return key\nM()",
  },
  { name: "a list that fills memory", code: "x = []\nwhile True: x.append(bytearray(1000000))", error: "MemoryError" },
  { name: "one object that fills memory", code: "bytearray(10 ** 9)", error: "MemoryError" },
  { name: "small objects that fill memory", code: "x = []\nwhile True: x = [x, {}]", error: /MemoryError|CpuLimit/ },
  {
    name: "memory held on to by an exception",
    code: "def f():\n  x = [0] * 10 ** 6\n  y = []\n  while True: y.append([0] * 10 ** 6)\nf()",
    error: "MemoryError",
  },
  {
    name: "catching MemoryError again and again",
    code: "while True:\n  try:\n    x = bytearray(10 ** 9)\n  except MemoryError: pass",
    error: "CpuLimit",
  },
  { name: "a formatted width", code: "f'{1:>{10 ** 9}}'", error: "MemoryError" },
  {
    name: "a decompression bomb",
    code: "import zlib\nzlib.decompress(zlib.compress(bytes(10 ** 7)) ) * 20",
    error: "MemoryError",
  },
  { name: "recursion", code: "def f(): return f()\nf()", error: "RecursionError" },
  {
    name: "recursion with the limit lifted",
    code: "import sys\nsys.setrecursionlimit(10 ** 9)\ndef f(): return f()\nf()",
    error: /Error|CpuLimit|StackOverflow/,
  },
  {
    name: "recursion through C with the limit lifted",
    code: "import sys\nsys.setrecursionlimit(10 ** 9)\nclass A:\n  def __getattr__(self, n): return getattr(self, n)\nA().x",
    error: "RecursionError",
  },
  {
    name: "recursion that C does not count",
    code: "x = ()\nfor _ in range(400000): x = (x,)\nhash(x)",
    error: /InterpreterError|StackOverflow/,
  },
  { name: "brackets without end", code: "(".repeat(50_000), error: /Error/ },
  { name: "operators without end", code: `${"-".repeat(50_000)}1`, error: /Error/ },
  { name: "a source with a million lines' worth of names", code: `${"a.".repeat(30_000)}a`, error: /Error/ },
  { name: "deep JSON", code: "import json\njson.loads('[' * 10 ** 6)", error: "RecursionError" },
  { name: "printing without end", code: "while True: print('x' * 10000)", error: "CpuLimit" },
  {
    name: "calling without end",
    code: "while True:\n  try: echo(value=1)\n  except ToolError: pass",
    error: /CallLimit|CpuLimit/,
  },
  {
    name: "files that fill the disk",
    code: "with open('/big', 'wb') as f:\n  while True: f.write(bytes(1 << 20))",
    error: "OSError",
  },
  {
    name: "a file with a hole",
    code: "with open('/hole', 'wb') as f:\n  f.seek(10 ** 12)\n  f.write(b'x')",
    error: "OSError",
  },
  { name: "truncate to a terabyte", code: "with open('/long', 'wb') as f: f.truncate(10 ** 12)", error: "OSError" },
  { name: "folders without end", code: "import os\nfor n in range(10 ** 5): os.mkdir(f'/d{n}')", error: "OSError" },
  { name: "open files without end", code: "x = [open(f'/f{n}', 'w') for n in range(1000)]", error: "OSError" },
  { name: "a million digits", code: "int('9' * 10 ** 6)", error: "ValueError" },
  {
    name: "a decimal of a billion digits",
    code: "import decimal\ndecimal.getcontext().prec = 10 ** 9\ndecimal.Decimal(1) / 3",
    error: "ValueError",
  },
  { name: "objects that rise from the dead", code: "class Z:\n  def __del__(self): Z()\nZ()", error: "CpuLimit" },
];

export const tampering: readonly Attack[] = [
  {
    name: "a call to a tool it was not given",
    code: 'import os\nos.write(0, b\'C{"tool":"secret","input":{}}\')\nos.read(0, 1000)',
    value: '{"error":"There is no tool \\"secret\\". List the tools with list_tools().","code":"TOOL_NOT_FOUND"}',
  },
  {
    name: "a call with no name",
    code: 'import os\nos.write(0, b\'C{"tool":{"a":1}}\')\nos.read(0, 1000)',
    value: '{"error":"There is no tool (no name). List the tools with list_tools().","code":"TOOL_NOT_FOUND"}',
  },
  {
    name: "a call to __proto__",
    code: 'import os\nos.write(0, b\'C{"tool":"__proto__","input":{}}\')\nos.read(0, 1000)',
    value: '{"error":"There is no tool \\"__proto__\\". List the tools with list_tools().","code":"TOOL_NOT_FOUND"}',
  },
  {
    name: "a call with poisoned keys",
    code: "echo(value={'__proto__': {'polluted': 1}, 'constructor': {'prototype': {'polluted': 1}}})",
  },
  {
    name: "a message that is not JSON",
    code: "import os\nos.write(0, b'C\\xff\\x00{')\nos.read(0, 1000)",
    value: '{"error":"The code sent a request that is not JSON.","code":"INVALID_INPUT"}',
  },
  {
    name: "an empty message",
    code: "import os\nos.write(0, b'')\nos.write(0, b'C')\nos.read(0, 1000)",
    value: '{"error":"The code sent a request that is not JSON.","code":"INVALID_INPUT"}',
  },
  {
    name: "an unknown kind of message",
    code: "import os\nos.write(0, b'Z{}')\nos.read(0, 1000)",
    value: '{"error":"There is no tool (no name). List the tools with list_tools().","code":"TOOL_NOT_FOUND"}',
  },
  {
    name: "a message of 30 MB",
    code: "import os\nos.write(0, b'C' + b' ' * 30000000)\nos.read(0, 1000)",
    error: "MemoryError",
  },
  {
    name: "a deep call",
    code: "import os\nos.write(0, b'C{\"tool\":\"echo\",\"input\":' + b'[' * 100000 + b']' * 100000 + b'}')\nos.read(0, 1000)",
    value: '{"error":"Invalid arguments: they are nested more than 128 levels deep.","code":"INVALID_INPUT"}',
  },
  { name: "a forged result that ends nothing", code: 'import os\nos.write(0, b\'R{"value":"1"}\')\n2', value: 2 },
  {
    name: "a forged result instead of an answer",
    code: 'import os\nos.write(0, b\'R{"value":"1"}\')\nos._exit(0)',
    error: "SystemExit",
  },
  {
    name: "a forged deep result",
    code: "tools.__class__.__missing__.__globals__['encode_value'] = lambda v, m: ('[' * 100000 + ']' * 100000, False)\n[1]",
    error: "InterpreterError",
  },
  {
    name: "a result that is not JSON",
    code: "tools.__class__.__missing__.__globals__['encode_value'] = lambda v, m: ('{', False)\n[1]",
    error: "InterpreterError",
  },
  {
    name: "a result of odd types",
    code: "tools.__class__.__missing__.__globals__['act'] = lambda s: {'error': ['x'], 'value': {}}\n1",
    value: 1,
  },
  {
    name: "a forged error",
    code: "tools.__class__.__missing__.__globals__['describe'] = lambda e, k: {'kind': 'cancelled', 'name': 5, 'message': {}, 'trace': []}\n1 / 0",
    error: "InterpreterError",
  },
  {
    name: "an engine that answers nothing",
    code: "tools.__class__.__missing__.__globals__['write_line'] = lambda *a: 0",
    error: "InterpreterError",
  },
  { name: "a broken engine", code: "tools.__class__.__missing__.__globals__.clear()", error: "InterpreterError" },
  {
    name: "a broken built-in",
    code: "import builtins\nbuiltins.len = builtins.isinstance = builtins.dict = None\n1",
    error: "InterpreterError",
  },
  { name: "no built-ins at all", code: "import builtins\nvars(builtins).clear()", error: "InterpreterError" },
  {
    name: "a broken json",
    code: "import json\njson.JSONEncoder.encode = json.JSONDecoder.decode = None\necho(value=1)",
    value: 1,
  },
  {
    name: "broken ast and traceback",
    code: "import ast, traceback\nast.parse = traceback.TracebackException = None\n1 / 0",
    error: "InterpreterError",
  },
  { name: "no modules", code: "import sys\nsys.modules.clear()\n1", value: 1 },
  { name: "no standard output", code: "import sys\nsys.stdout = sys.stderr = None\nprint('x')\n1", value: 1 },
  { name: "a closed line", code: "import os\nos.close(0); os.close(1); os.close(2)", error: "PermissionError" },
  {
    name: "a line moved elsewhere",
    code: "import os\nfd = os.open('/x', os.O_CREAT | os.O_RDWR)\nos.dup2(fd, 0)",
    error: "AttributeError",
  },
  { name: "reading the line dry", code: "import os\nos.read(0, 100)", value: "" },
  { name: "input", code: "input()", error: "EOFError" },
  { name: "a trace function", code: "import sys\nsys.settrace(lambda *a: 1 / 0)\n1", error: "ZeroDivisionError" },
  {
    name: "a profile function that loops",
    code: "import sys\ndef p(*a):\n  while True: pass\nsys.setprofile(p)\nlen([])",
    error: "CpuLimit",
  },
  { name: "functions replaced", code: "echo = list_tools = ToolError = None\ntools['echo'](value=1)", value: 1 },
  { name: "a value that lies about its class", code: "class L:\n  __class__ = dict\nL()", error: "AttributeError" },
  {
    name: "a value with a hostile metaclass",
    code: "class M(type):\n  def __instancecheck__(c, o): raise SystemExit(9)\n  def __getattribute__(c, n): raise KeyError(n)\nclass A(metaclass=M): pass\nA",
    error: "KeyError",
  },
  {
    name: "a value that raises when looked at",
    code: "class A:\n  def __getattribute__(s, n): raise BaseException(n)\nA()",
    error: "BaseException",
  },
  {
    name: "a dictionary with a hostile key",
    code: "class K:\n  def __repr__(s): raise KeyboardInterrupt\n  def __hash__(s): return 1\n{K(): 1}",
    error: "KeyboardInterrupt",
  },
  {
    name: "an exception that cannot be printed",
    code: "class E(Exception):\n  def __str__(s): raise E\n  __repr__ = __str__\nraise E",
    error: "E",
  },
  {
    name: "an exception with a name as long as a book",
    code: "raise type('E' * 10 ** 6, (Exception,), {})('m' * 10 ** 6)",
    error: /^E{200}$/,
  },
  {
    name: "an exception that is its own cause",
    code: "e = ValueError('a')\nf = KeyError('b')\ne.__cause__ = f\nf.__context__ = e\nraise e",
    error: "ValueError",
  },
  {
    name: "a tree of exception groups",
    code: "g = ValueError(1)\nfor _ in range(500): g = ExceptionGroup('g', [g, g])\nraise g",
    error: "CpuLimit",
  },
  { name: "a ToolError with a forged code", code: "raise ToolError('no', code={'a': 1})", error: "ToolError" },
  { name: "an error that pretends to be a limit", code: "raise MemoryError", error: "MemoryError" },
  { name: "a generator that exits", code: "def g():\n  yield 1\n  raise SystemExit(5)\ng()", error: "SystemExit" },
  { name: "lone surrogates", code: "print('\\ud800')\n'\\udfff\\x00\\u2028'", value: "\udfff\x00\u2028" },
  {
    name: "bytes that are no text on standard output",
    code: "import os\nos.write(1, bytes(range(128, 256)))",
    value: 128,
  },
];
