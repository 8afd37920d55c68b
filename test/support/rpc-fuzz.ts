import * as fc from "fast-check";
import { isRecord } from "@biplane/core/internal";
import { anyCharacter } from "./any-character.ts";

/** What a message must be answered with: nothing, perhaps something, or a response with this id. */
export type Due =
  | { readonly answer: "none" | "perhaps" }
  | { readonly answer: "one"; readonly id: string | number | null };

/** JSON-RPC as its specification reads, told again in the simplest words. */
export function dueFor(text: string): Due {
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    return { answer: "one", id: null };
  }
  if (depthOf(message) > 128 || !isRecord(message)) return { answer: "one", id: null };
  return dueForMessage(message);
}

export function dueForMessage(message: unknown): Due {
  if (!isRecord(message)) return { answer: "one", id: null };
  const { jsonrpc, id, method, params = {} } = message;
  const known = typeof id === "string" || (typeof id === "number" && Number.isFinite(id)) ? id : null;
  const one = { answer: "one", id: known } as const;
  if (jsonrpc !== "2.0") return one;
  if (method === undefined) {
    const isResponse = known !== null && (Object.hasOwn(message, "result") || Object.hasOwn(message, "error"));
    return isResponse ? { answer: "none" } : one;
  }
  if (typeof method !== "string" || (id !== undefined && known === null)) return one;
  if (id !== undefined) return one;
  return isRecord(params) ? { answer: "none" } : { answer: "perhaps" };
}

/** What is wrong with a response, or undefined. */
export function faultIn(response: unknown): string | undefined {
  if (!isRecord(response)) return "it is no object";
  if (response["jsonrpc"] !== "2.0") return "jsonrpc is not 2.0";
  const { id, error, result } = response;
  if (id !== null && typeof id !== "string" && typeof id !== "number") return "its id is of no kind";
  if ("result" in response === "error" in response) return "it has not exactly one of result and error";
  if ("result" in response) return isRecord(result) ? undefined : "its result is no object";
  if (!isRecord(error)) return "its error is no object";
  if (!Number.isInteger(error["code"])) return "its code is no integer";
  if (typeof error["message"] !== "string") return "its message is no text";
  return error["code"] === -32603 ? "it says that something broke inside" : undefined;
}

/** Values that have broken parsers, printers and lookups before. */
export const junk: fc.Arbitrary<unknown> = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom<unknown>(
    null,
    "",
    "\0",
    "\u{d800}",
    "__proto__",
    "constructor",
    "toString",
    -1,
    0,
    1.5,
    1e308,
    -1e308,
    2 ** 53,
    2 ** 53 + 2,
    5e-324,
    [],
    {},
    [[]],
  ),
  // Objects that cannot be turned into text, or look like something else.
  fc.constantFrom(
    { toString: 1, valueOf: 1 },
    { toString: null, toJSON: "x" },
    { constructor: { prototype: {} }, length: -1 },
  ),
  fc
    .constant(null)
    .map(() => JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{"a":1}}}') as unknown),
  fc.string({ unit: anyCharacter, maxLength: 40 }),
  fc.integer({ min: 100, max: 5000 }).map((length) => "x".repeat(length)),
);

const modernMeta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": { extensions: { "io.modelcontextprotocol/tasks": {} } },
  "io.modelcontextprotocol/clientInfo": { name: "fuzz", version: "1" },
};

const requests: readonly (readonly [string, Record<string, unknown>])[] = [
  ["initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "fuzz", version: "1" } }],
  ["ping", {}],
  ["tools/list", {}],
  ["tools/list", { cursor: "ZnJvbSAw" }],
  ["tools/call", { name: "say", arguments: { word: "hi" } }],
  ["tools/call", { name: "add", arguments: { a: 1, b: 2 } }],
  ["tools/call", { name: "fail", arguments: {} }],
  ["tools/call", { name: "greet", arguments: {}, inputResponses: { name: { action: "accept" } }, requestState: "x.y" }],
  ["tools/call", { name: "count", arguments: { to: 0 }, _meta: { progressToken: 1 } }],
  ["resources/list", {}],
  ["resources/templates/list", {}],
  ["resources/read", { uri: "note://by-id/7" }],
  ["resources/subscribe", { uri: "note://watched" }],
  ["resources/unsubscribe", { uri: "note://watched" }],
  ["prompts/list", {}],
  ["prompts/get", { name: "review", arguments: { code: "x" } }],
  [
    "completion/complete",
    {
      ref: { type: "ref/prompt", name: "review" },
      argument: { name: "style", value: "k" },
      context: { arguments: { code: "x" } },
    },
  ],
  [
    "completion/complete",
    { ref: { type: "ref/resource", uri: "note://by-id/{id}" }, argument: { name: "id", value: "" } },
  ],
  ["logging/setLevel", { level: "info" }],
  ["server/discover", {}],
  ["tasks/get", { taskId: "none" }],
  ["tasks/update", { taskId: "none", inputResponses: {} }],
  ["tasks/cancel", { taskId: "none" }],
  ["no/such/method", {}],
];

const sound = fc
  .record({ of: fc.constantFrom(...requests), id: fc.oneof(fc.nat(), fc.string()), modern: fc.boolean() })
  .map(({ of: [method, params], id, modern }) => ({
    jsonrpc: "2.0",
    id,
    method,
    params: modern ? { ...params, _meta: { ...modernMeta, ...(params["_meta"] as object | undefined) } } : params,
  }));

const other = fc.oneof(
  fc.record({
    jsonrpc: fc.constant("2.0"),
    method: fc.constantFrom(
      "notifications/initialized",
      "notifications/cancelled",
      "notifications/progress",
      "notifications/roots/list_changed",
      "made/up",
    ),
    params: fc.oneof(junk, fc.record({ requestId: junk, progressToken: junk })),
  }),
  fc.record({ jsonrpc: fc.constant("2.0"), id: junk, result: junk }),
  fc.record({ jsonrpc: fc.constant("2.0"), id: junk, error: junk }),
  junk,
  fc.array(junk, { maxLength: 4 }),
);

/** A message with up to three of its parts replaced, removed or added to. */
const mutated = fc
  .record({
    message: fc.oneof({ weight: 5, arbitrary: sound }, { weight: 1, arbitrary: other }),
    changes: fc.array(
      fc.record({ at: fc.nat(), how: fc.constantFrom("replace", "replace", "remove", "add"), key: fc.string(), junk }),
      { maxLength: 3 },
    ),
  })
  .map(({ message, changes }) => {
    const root: { message: unknown } = { message: structuredClone(message) };
    for (const { at, how, key, junk } of changes) {
      const places = placesIn(root);
      const place = places[at % places.length];
      if (!place) continue;
      const [holder, name] = place;
      const inner = holder[name];
      if (how === "remove" && holder !== root) delete holder[name];
      else if (how === "add" && isRecord(inner)) inner[key] = structuredClone(junk);
      else holder[name] = structuredClone(junk);
    }
    return root.message;
  });

/** A message as bytes: usually whole, sometimes cut off, spoilt or given twice. */
export const bytes: fc.Arbitrary<Buffer> = fc
  .record({
    message: mutated,
    spoil: fc.oneof(
      { weight: 6, arbitrary: fc.constant("not") },
      { weight: 3, arbitrary: fc.constantFrom("cut", "insert", "bytes", "twice", "space", "duplicate id") },
    ),
    at: fc.nat(),
    raw: fc.uint8Array({ minLength: 1, maxLength: 4 }),
  })
  .map(({ message, spoil, at, raw }) => {
    const whole = Buffer.from(JSON.stringify(message) ?? "null");
    const cut = at % (whole.length + 1);
    // A line is a message on some wires, so newlines are left to tests of their own.
    const safe = Buffer.from(raw.map((byte) => (byte === 10 || byte === 13 ? 0 : byte)));
    if (spoil === "cut") return whole.subarray(0, Math.max(1, cut));
    if (spoil === "insert") return Buffer.concat([whole.subarray(0, cut), safe, whole.subarray(cut)]);
    if (spoil === "bytes") return Buffer.concat([safe, Buffer.from([0xff, 0xfe, 0xc0])]);
    if (spoil === "twice") return Buffer.concat([whole, whole]);
    if (spoil === "space") return Buffer.concat([Buffer.from(" \t"), whole, Buffer.from("  ")]);
    if (spoil === "duplicate id" && whole[0] === 0x7b && whole.length > 2) {
      return Buffer.concat([Buffer.from('{"id":null,"id":"twin",'), whole.subarray(1)]);
    }
    return whole;
  });

/** A sound call nested this deep, in lists or in objects. */
export function nested(levels: number, kind: "lists" | "objects"): string {
  const [open, close] = kind === "lists" ? ["[", "]"] : ['{"a":', "}"];
  const inside = `${open.repeat(levels)}1${close.repeat(levels)}`;
  return `{"jsonrpc":"2.0","id":"deep","method":"tools/call","params":{"name":"say","arguments":{"word":${inside}}}}`;
}

/** Every place in a value where something else could stand. */
function placesIn(value: unknown): [Record<string, unknown>, string][] {
  if (typeof value !== "object" || value === null) return [];
  const holder = value as Record<string, unknown>;
  return Object.keys(holder).flatMap((key) => [
    [holder, key] as [Record<string, unknown>, string],
    ...placesIn(Object.getOwnPropertyDescriptor(holder, key)?.value),
  ]);
}

function depthOf(value: unknown): number {
  let depth = 0;
  for (let level: unknown[] = [value]; level.length > 0; depth++) {
    level = level.flatMap((item) => (typeof item === "object" && item !== null ? Object.values(item) : []));
    if (depth > 1000) break;
  }
  return depth - 1;
}
