import { describe, expect, it } from "vitest";
import { run, StarlarkError } from "@biplane/starlark";

/** Each program tries to exhaust the host. Each must end, soon, with an error that says why. */
const programs: Record<string, { source: string; error: RegExp }> = {
  "an endless loop": { source: "while True: pass", error: /too many steps/ },
  "a loop over a vast range": { source: "for i in range(1 << 52): pass", error: /too many steps/ },
  "runaway recursion": { source: "def f(): return f()\nf()", error: /stack overflow/ },
  "mutual recursion": { source: "def f(): return g()\ndef g(): return f()\nf()", error: /stack overflow/ },
  "recursion through sorted": {
    source: "def f(x): return sorted([1, 2], key=f)\nf(1)",
    error: /stack overflow/,
  },
  "recursion through a comprehension": {
    source: "def f(x): return [[[f(y) for y in [1]] for z in [1]] for w in [1]]\nf(1)",
    error: /stack overflow/,
  },
  "recursion deep inside an expression": {
    source: `def f(): return ${"[".repeat(90)}f()${"]".repeat(90)}\nf()`,
    error: /stack overflow/,
  },
  "a vast string repeat": { source: 'x = "a" * (1 << 29)', error: /too long|bytes allocated/ },
  "a string repeat beyond any int": { source: 'x = "abc" * (1 << 100)', error: /repeat count .* too large/ },
  "a vast list repeat": { source: "x = [0] * (1 << 30)", error: /bytes allocated/ },
  "an excessive tuple repeat": { source: "x = (0, 0) * (1 << 30)", error: /excessive repeat/ },
  "a vast bytes repeat": { source: 'x = b"ab" * (1 << 29)', error: /too long|bytes allocated/ },
  "strings doubling": { source: 'x = "ab"\nfor i in range(100): x += x', error: /too long|bytes allocated/ },
  "lists doubling": { source: "x = [1]\nfor i in range(100): x += x", error: /bytes allocated|steps/ },
  "lists doubling by extend": { source: "x = [1]\nfor i in range(100): x.extend(x)", error: /bytes allocated|steps/ },
  "dicts that grow for ever": { source: "d = {}\nfor i in range(1 << 40): d[i] = i", error: /bytes allocated|steps/ },
  "sets that grow for ever": {
    source: "s = set()\nfor i in range(1 << 40): s.add(i)",
    error: /bytes allocated|steps/,
  },
  "lists that grow for ever": {
    source: "x = []\nfor i in range(1 << 40): x.append((i, i))",
    error: /bytes allocated|steps/,
  },
  "a vast shift": { source: "x = 1 << 1000000000", error: /shift count too large/ },
  "shifts of shifts": { source: "x = 1\nfor i in range(1 << 30): x = x << 511", error: /int too large|steps|bytes/ },
  "ints squared again and again": { source: "x = 3\nfor i in range(100): x = x * x", error: /int too large/ },
  "a factorial": { source: "x = 1\nfor i in range(1, 1 << 40): x *= i", error: /int too large|steps|bytes/ },
  "a literal of many digits": { source: `x = int("9" * 5000000)`, error: /int too large/ },
  "an int in an odd base": { source: `x = int("z" * 5000000, 36)`, error: /int too large/ },
  "big ints printed in a loop": {
    source: "x = 7\nfor i in range(20): x = x * x\nfor i in range(1 << 30): y = str(x)",
    error: /steps|bytes/,
  },
  "a vast range made a list": { source: "x = list(range(1 << 40))", error: /bytes allocated/ },
  "a vast range made a tuple": { source: "x = tuple(range(1 << 40))", error: /bytes allocated/ },
  "a vast range made a set": { source: "x = set(range(1 << 40))", error: /bytes allocated|steps/ },
  "a vast range sorted": { source: "x = sorted(range(1 << 40))", error: /bytes allocated/ },
  "a vast range reversed": { source: "x = reversed(range(1 << 40))", error: /bytes allocated/ },
  "a vast range enumerated": { source: "x = enumerate(range(1 << 40))", error: /bytes allocated|steps/ },
  "vast ranges zipped": { source: "x = zip(range(1 << 40), range(1 << 40))", error: /bytes allocated/ },
  "a vast range as arguments": {
    source: "def f(*args): pass\nf(*range(1 << 40))",
    error: /bytes allocated/,
  },
  "a vast range in a comprehension": { source: "x = [i for i in range(1 << 40)]", error: /bytes allocated|steps/ },
  "a vast range in a dict comprehension": {
    source: "x = {i: i for i in range(1 << 40)}",
    error: /bytes allocated|steps/,
  },
  "a vast range summed by max": { source: "x = max(range(1 << 52))", error: /steps/ },
  "a vast range searched by any": { source: "x = any([0 for _ in range(1 << 45)])", error: /bytes|steps/ },
  "a vast range unpacked": { source: "a, b = range(1 << 40)", error: /bytes allocated|too many values/ },
  "a vast range made bytes": { source: "x = bytes([0 for i in range(1 << 40)])", error: /bytes allocated|steps/ },
  "a comprehension of comprehensions": {
    source: "x = [[[[z for z in range(99999)] for y in range(99999)] for w in range(99999)] for v in range(9)]",
    error: /bytes allocated|steps/,
  },
  "quadratic concatenation": {
    source: 'x = ""\nfor i in range(1 << 30): x = x + "0123456789" * 100',
    error: /bytes allocated|steps|too long/,
  },
  "quadratic slicing": {
    source: "x = list(range(100000))\nfor i in range(1 << 30): y = x[1:]",
    error: /bytes allocated|steps/,
  },
  "a vast join": {
    source: 'x = "x" * 1000000\ny = "".join([x for i in range(1000)])',
    error: /too long|bytes allocated|steps/,
  },
  "a replacement that explodes": {
    source: 'x = ("a" * 1000000).replace("a", "b" * 1000000)',
    error: /too long|bytes allocated|steps/,
  },
  "an empty replacement that explodes": {
    source: 'x = ("a" * 1000000).replace("", "b" * 1000000)',
    error: /too long|bytes allocated|steps/,
  },
  "a percent format that explodes": {
    source: 's = "x" * 10000000\nx = ("%s" * 100) % tuple([s for i in range(100)])',
    error: /too long|bytes allocated|steps/,
  },
  "a brace format that explodes": {
    source: 's = "x" * 10000000\nx = ("{0}" * 100).format(s)',
    error: /too long|bytes allocated|steps/,
  },
  "a width in a format": { source: 'x = "%1000000000d" % 1', error: /unknown conversion %1/ },
  "a width in braces": { source: 'x = "{:1000000000}".format(1)', error: /format spec features not supported/ },
  "a search for a hostile needle": {
    source: 'h = "a" * 3000000\nn = "b" + "a" * 1000000\nfor i in range(1 << 30): h.find(n)',
    error: /steps/,
  },
  "a backward search for a hostile needle": {
    source: 'h = "a" * 3000000\nn = "a" * 1000000 + "b"\nfor i in range(1 << 30): h.rfind(n)',
    error: /steps/,
  },
  "a count with a hostile needle": {
    source: 'h = "a" * 3000000\nn = "a" * 1000000 + "b"\nfor i in range(1 << 30): h.count(n)',
    error: /steps/,
  },
  "comparison of long equal strings": {
    source: 'a = "a" * 5000000 + "b"\nb = "a" * 5000000 + "b"\nfor i in range(1 << 30): a == b',
    error: /steps/,
  },
  "ordering of long strings": {
    source: 'a = "a" * 5000000 + "b"\nb = "a" * 5000000 + "c"\nfor i in range(1 << 30): a < b',
    error: /steps/,
  },
  "hashing of a long string": {
    source: 'd = {}\nfor i in range(1 << 30): d[("x" * 100000) + str(i)] = 1',
    error: /steps|bytes allocated/,
  },
  "the hash function in a loop": {
    source: 's = "x" * 5000000\nfor i in range(1 << 30): hash(s)',
    error: /steps/,
  },
  "a tuple that doubles, hashed": {
    source: "t = (1, 2)\nfor i in range(60): t = (t, t)\nd = {t: 1}",
    error: /steps|bytes allocated/,
  },
  "a list that doubles, printed": {
    source: "t = [1, 2]\nfor i in range(60): t = [t, t]\nprint(t)",
    error: /steps|bytes allocated/,
  },
  "a list that doubles, compared": {
    source: "a = [1]\nb = [1]\nfor i in range(60):\n  a = [a, a]\n  b = [b, b]\nx = a == b",
    error: /steps|recursion/,
  },
  "a list that doubles, ordered": {
    source: "a = [1]\nb = [1]\nfor i in range(60):\n  a = [a, a]\n  b = [b, b]\nx = a < b",
    error: /steps|recursion/,
  },
  "a deep list, compared": {
    source: "a = []\nb = []\nfor i in range(100000):\n  a = [a]\n  b = [b]\nx = a == b",
    error: /maximum recursion/,
  },
  "a deep tuple, ordered": {
    source: "a = ()\nb = ()\nfor i in range(100000):\n  a = (a,)\n  b = (b,)\nx = a < b",
    error: /maximum recursion/,
  },
  "a cycle, compared": { source: "x = []\nx.append(x)\ny = []\ny.append(y)\nz = x == y", error: /maximum recursion/ },
  "a cycle, ordered": { source: "x = []\nx.append(x)\ny = []\ny.append(y)\nz = x < y", error: /maximum recursion/ },
  "a cycle through dicts, compared": {
    source: "x = {}\nx[1] = x\ny = {}\ny[1] = y\nz = x == y",
    error: /maximum recursion/,
  },
  "a cycle, hashed": { source: "x = []\nx.append((x,))\nd = {(x,): 1}", error: /unhashable type: list/ },
  "printing for ever": { source: 'for i in range(1 << 40): print("x" * 1000)', error: /bytes printed/ },
  "a hostile key function": {
    source: "def key(x):\n  for i in range(1 << 40): pass\nsorted([1, 2], key=key)",
    error: /steps/,
  },
  "a key function that grows its list": {
    source: "x = [3, 1, 2]\ndef key(v):\n  x.append(v)\n  return v\nsorted(x, key=key)\nmax(x, key=key)",
    error: /during iteration/,
  },
  "a set update from itself": { source: "s = set([1])\ns.update(s)", error: /during iteration/ },
  "deep brackets": { source: "x = " + "[".repeat(100_000), error: /excessive nesting/ },
  "deep parentheses": { source: `x = ${"(".repeat(5000)}1${")".repeat(5000)}`, error: /excessive nesting/ },
  "deep braces": { source: "x = " + "{1:".repeat(100_000), error: /excessive nesting/ },
  "deep calls": { source: "x = " + "len(".repeat(100_000), error: /excessive nesting/ },
  "deep unary minus": { source: `x = ${"-".repeat(100_000)}1`, error: /excessive nesting/ },
  "deep not": { source: `x = ${"not ".repeat(100_000)}1`, error: /excessive nesting/ },
  "deep lambdas": { source: `x = ${"lambda: ".repeat(100_000)}1`, error: /excessive nesting/ },
  "deep conditionals": { source: `x = ${"1 if 1 else ".repeat(100_000)}1`, error: /excessive nesting/ },
  "deep dots": { source: `x = "a"${".upper()".repeat(100_000)}`, error: /excessive nesting/ },
  "deep indexes": { source: `x = []${"[0]".repeat(100_000)}`, error: /excessive nesting/ },
  "deep blocks": {
    source: Array.from({ length: 2000 }, (_, depth) => `${" ".repeat(depth)}if 1:`).join("\n"),
    error: /excessive nesting/,
  },
  "deep functions": {
    source: Array.from({ length: 2000 }, (_, depth) => `${" ".repeat(depth)}def f():`).join("\n"),
    error: /excessive nesting/,
  },
  "many for clauses": {
    source: `x = [1 ${"for a in [1] ".repeat(100_000)}]`,
    error: /excessive nesting/,
  },
  "many undefined names": {
    source: Array.from({ length: 20_000 }, (_, index) => `name${index} = nome${index}`).join("\n"),
    error: /undefined: nome0/,
  },
  "many problems on one line": {
    source: `x = [${"y, ".repeat(200_000)}]`,
    error: /undefined: y/,
  },
  "a format with many fields and many names": {
    source:
      'd = {"k%d" % i: i for i in range(50000)}\ns = "".join(["{k%d}" % (i * 7919 % 50000) for i in range(50000)])\nfor i in range(100): s.format(**d)',
    error: /steps|bytes/,
  },
  "a function of many parameters, called by name": {
    source: `def f(${Array.from({ length: 20_000 }, (_, index) => `p${index}`).join(", ")}): pass\nd = {"p%d" % i: i for i in range(20000)}\nfor i in range(1000): f(**d)`,
    error: /steps|bytes/,
  },
  "splitting a long text": {
    source: 'x = ("a " * 10000000).split(" ")',
    error: /bytes allocated|steps/,
  },
  "splitting a long text on white space": {
    source: 'x = ("a " * 10000000).split()',
    error: /bytes allocated|steps/,
  },
  "splitting a long text from the end": {
    source: 'x = ("a " * 10000000).rsplit(None, 9000000)',
    error: /bytes allocated|steps/,
  },
  "splitting many lines": { source: 'x = ("\\n" * 10000000).splitlines()', error: /bytes allocated|steps/ },
  "upper case of a long text beyond ASCII": {
    source: 'x = ("é" * 5000000).upper()',
    error: /bytes allocated|steps/,
  },
  "a long cutset": { source: 'x = "a".strip("é" * 5000000)', error: /bytes allocated|steps/ },
  "mixed operators that climb": {
    source: `x = 1${" or 1 and 1 < 1 | 1 ^ 1 & 1 << 1 + 1 * 1".repeat(3000)} ${"[".repeat(2000)}`,
    error: /got '\[', want|got '<'|does not associate|want newline|excessive nesting/,
  },
};

describe("a hostile program ends with a clear error", () => {
  it.each(Object.entries(programs))("%s", (_name, { source, error }) => {
    const failure = attempt(source);
    expect(failure.reason).toMatch(error);
    expect(failure.reason).not.toMatch(/internal error/);
  });
});

describe("a program that only looks hostile runs", () => {
  it("adds up ten thousand terms", () => {
    const module = run(`x = ${Array.from({ length: 10_000 }, (_, index) => index).join(" + ")}`);
    expect(module.get("x")).toBe(49_995_000);
  });

  it("joins ten thousand conditions", () => {
    const module = run(`x = ${"True and ".repeat(10_000)}5\ny = ${"0 or ".repeat(10_000)}6`);
    expect(module.globals).toEqual({ x: 5, y: 6 });
  });

  it("takes ten thousand elif branches", () => {
    const branches = Array.from({ length: 10_000 }, (_, index) => `  elif n == ${index}: return ${index}`);
    const module = run(`def f(n):\n  if n < 0: return -1\n${branches.join("\n")}`);
    expect(module.call("f", [9_999])).toBe(9_999);
  });

  it("prints data a hundred thousand levels deep", () => {
    const source =
      "x = []\nfor i in range(100000): x = [x]\nn = len(str(x))\nt = ()\nfor i in range(100000): t = (t,)\nd = {t: 1}\nm = d[t]";
    const module = run(source, { dialect: { topLevelControl: true, globalReassign: true } });
    expect(module.get("n")).toBe(200_002);
    expect(module.get("m")).toBe(1);
  });

  it("holds a file of two hundred thousand lines", () => {
    const source = Array.from({ length: 200_000 }, (_, index) => `x${index} = ${index}`).join("\n");
    expect(run(source).get("x199999")).toBe(199_999);
  });
});

function attempt(source: string): StarlarkError {
  try {
    run(source, {
      dialect: { while: true, topLevelControl: true, globalReassign: true, recursion: true },
      limits: { steps: 1_000_000, memoryBytes: 64 * 1024 * 1024, outputBytes: 100_000 },
    });
  } catch (error) {
    if (error instanceof StarlarkError) return error;
    throw error;
  }
  throw new Error("the program ran to its end");
}
