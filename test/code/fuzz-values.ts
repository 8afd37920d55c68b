import fc from "fast-check";
import { anyCharacter } from "../support/any-character.ts";

/** A value that a guest makes, as a tree that every language can write. */
export type Tree =
  | { readonly kind: "literal"; readonly value: null | boolean | number | string }
  | { readonly kind: "int"; readonly shift: number }
  | { readonly kind: "special"; readonly name: "nan" | "inf" | "function" | "itself" | "bytes" | "range" }
  | { readonly kind: "list"; readonly items: readonly Tree[] }
  | { readonly kind: "map"; readonly entries: readonly (readonly [string, Tree])[] }
  /** The same part many times over. */
  | { readonly kind: "repeat"; readonly item: Tree; readonly times: number }
  | { readonly kind: "deep"; readonly levels: number }
  | { readonly kind: "long"; readonly text: string; readonly times: number };

const names = fc.oneof(
  fc.constantFrom(
    "__proto__",
    "constructor",
    "toJSON",
    "then",
    "length",
    "",
    "a",
    "tool",
    "input",
    "code",
    "\u0000",
    "\ud800",
  ),
  fc.string({ maxLength: 8 }),
);

const text = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.string({ unit: anyCharacter, maxLength: 12 }),
  fc.constantFrom("\u2028", '"', "\\", "\ud83d", "\ufeff", "\r\n", "]}", "${x}", "%s", "'''", "#", "!{", "=1"),
);

const scalar: fc.Arbitrary<Tree> = fc.oneof(
  fc.record({
    kind: fc.constant("literal" as const),
    value: fc.oneof(
      fc.constant(null),
      fc.boolean(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.integer(),
      text,
    ),
  }),
  fc.record({ kind: fc.constant("int" as const), shift: fc.nat(3000) }),
  fc.record({
    kind: fc.constant("special" as const),
    name: fc.constantFrom("nan", "inf", "function", "itself", "bytes", "range"),
  }),
);

const large: fc.Arbitrary<Tree> = fc.oneof(
  fc.record({ kind: fc.constant("deep" as const), levels: fc.constantFrom(1, 50, 127, 128, 129, 500, 5000) }),
  fc.record({ kind: fc.constant("long" as const), text, times: fc.constantFrom(0, 1, 1000, 100_000, 1_000_000) }),
  fc.record({ kind: fc.constant("repeat" as const), item: scalar, times: fc.constantFrom(0, 1, 1000, 49_990, 60_000) }),
);

export const tree: fc.Arbitrary<Tree> = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4, depthSize: "small" },
    { arbitrary: scalar, weight: 6 },
    { arbitrary: large, weight: 1 },
    {
      weight: 3,
      arbitrary: fc.record({ kind: fc.constant("list" as const), items: fc.array(tie("tree"), { maxLength: 4 }) }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant("map" as const),
        entries: fc.array(fc.tuple(names, tie("tree")), { maxLength: 4 }),
      }),
    },
  ),
})).tree;

/** The name of a tool: one that exists, or anything. */
export const toolName: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom("echo", "later", "broken") },
  { weight: 1, arbitrary: fc.constantFrom("run_code", "list_tools", "x".repeat(10_000)) },
  { weight: 2, arbitrary: names },
);

/** JSON text that is sound, nearly sound, or nothing of the kind. */
export const nearlyJson: fc.Arbitrary<string> = fc.oneof(
  fc.json({ maxDepth: 4 }),
  fc
    .tuple(fc.json({ maxDepth: 3 }), fc.nat(40), text)
    .map(([json, at, inserted]) => json.slice(0, at) + inserted + json.slice(at + 1)),
  fc.constantFrom("", "{", "[1,", '{"a":', "nul", "1e999", '{"a":1,"a":2}', '{"__proto__":{"x":1}}', "[".repeat(300)),
  text,
);

const write = {
  javascript: {
    literal: (value: unknown) => JSON.stringify(value),
    int: (shift: number) => `(1n << ${shift}n)`,
    special: {
      nan: "NaN",
      inf: "-Infinity",
      function: "(() => 1)",
      itself: "(() => { const a = []; a.push(a); return a })()",
      bytes: "new Uint8Array(9)",
      range: "new Map([[1, new Set([2])]])",
    },
    repeat: (item: string, times: number) => `Array(${times}).fill(${item})`,
    deep: (levels: number) => `(() => { let a = []; for (let i = 0; i < ${levels}; i++) a = [a]; return a })()`,
    long: (text: string, times: number) => `${text}.repeat(${times})`,
    pair: (key: string, value: string) => `[${key}]: ${value}`,
  },
  python: {
    literal: (value: unknown) =>
      value === null ? "None" : typeof value === "boolean" ? (value ? "True" : "False") : pythonText(value),
    int: (shift: number) => `(1 << ${shift})`,
    special: {
      nan: "float('nan')",
      inf: "float('-inf')",
      function: "(lambda: 1)",
      itself: "(lambda a: (a.append(a), a)[1])([])",
      bytes: "b'\\xff'",
      range: "range(9)",
    },
    repeat: (item: string, times: number) => `[${item}] * ${times}`,
    deep: (levels: number) => `__import__('functools').reduce(lambda a, _: [a], range(${levels}), [])`,
    long: (text: string, times: number) => `${text} * ${times}`,
    pair: (key: string, value: string) => `${key}: ${value}`,
  },
  starlark: {
    literal: (value: unknown) =>
      value === null ? "None" : typeof value === "boolean" ? (value ? "True" : "False") : pythonText(value),
    int: (shift: number) => (shift < 512 ? `(1 << ${shift})` : `int("9" * ${shift})`),
    special: {
      nan: "float('nan')",
      inf: "float('-inf')",
      function: "(lambda: 1)",
      itself: "itself()",
      bytes: "b'\\xff'",
      range: "range(9)",
    },
    repeat: (item: string, times: number) => `[${item}] * ${times}`,
    deep: (levels: number) => `deep(${levels})`,
    long: (text: string, times: number) => `${text} * ${times}`,
    pair: (key: string, value: string) => `${key}: ${value}`,
  },
};

/** Definitions that the trees of a language need. */
export const preludes = {
  javascript: "",
  python: "",
  starlark:
    "def itself():\n  a = []\n  a.append(a)\n  return a\ndef deep(n):\n  a = []\n  for i in range(n):\n    a = [a]\n  return a\n",
};

export type FuzzedLanguage = keyof typeof write;

export function writeTree(language: FuzzedLanguage, tree: Tree): string {
  const words = write[language];
  const show = (each: Tree): string => {
    switch (each.kind) {
      case "literal":
        return words.literal(each.value);
      case "int":
        return words.int(each.shift);
      case "special":
        return words.special[each.name];
      case "list":
        return `[${each.items.map(show).join(", ")}]`;
      case "map": {
        const entries = each.entries.map(([key, value]) => words.pair(words.literal(key), show(value)));
        return language === "javascript" ? `({ ${entries.join(", ")} })` : `{${entries.join(", ")}}`;
      }
      case "repeat":
        return words.repeat(show(each.item), each.times);
      case "deep":
        return words.deep(each.levels);
      case "long":
        return words.long(words.literal(each.text), each.times);
    }
  };
  return show(tree);
}

/** A number or text as Python and Starlark write it. */
function pythonText(value: unknown): string {
  if (typeof value !== "string") return String(value);
  const escaped = Array.from(value, (character) => {
    const code = character.codePointAt(0) ?? 0;
    if (code >= 0x20 && code < 0x7f && !`"\\`.includes(character)) return character;
    const safe = code >= 0xd800 && code <= 0xdfff ? 0xfffd : code;
    return `\\U${safe.toString(16).padStart(8, "0")}`;
  });
  return `"${escaped.join("")}"`;
}
