import { z } from "zod";
import * as fc from "fast-check";
import { BiplaneError, allow, ask, deny, reply, text } from "biplane";
import type { Decision, ErrorCode, Policy } from "biplane";

/** A call that might happen: what the tool is and does, who may refuse it, who watches, and when it is cancelled. */
export interface Scenario {
  readonly handler: "call" | "perform";
  readonly known: boolean;
  readonly schema: "zod" | "zod, asynchronous" | "JSON Schema";
  readonly input: { readonly valid: boolean; readonly value: unknown };
  readonly policies: readonly { readonly says: keyof typeof sayings; readonly late: boolean }[];
  readonly approver: "nobody" | "yes" | "no" | "pending" | "breaks";
  readonly run: Run;
  readonly hasOutput: boolean;
  readonly watched: boolean;
  readonly hooks: readonly HookHabit[];
  readonly cancel: "never" | "before" | "in a policy" | "in run" | "after";
}

type Run =
  | { readonly does: "return"; readonly value: keyof typeof values; readonly late: boolean; readonly json: unknown }
  | { readonly does: "throw"; readonly thing: keyof typeof things; readonly late: boolean }
  | { readonly does: "hang"; readonly whenAborted: "obeys" | "returns anyway" | "throws late" | "never ends" };

export type HookHabit = "quiet" | "throws" | "rejects" | "meddles";

export const inputSchemas = {
  zod: z.object({ word: z.string(), numbers: z.array(z.number()), nested: z.object({ flag: z.boolean() }).optional() }),
  "zod, asynchronous": z
    .object({ word: z.string(), numbers: z.array(z.number()), nested: z.object({ flag: z.boolean() }).optional() })
    .refine(async () => true),
  "JSON Schema": {
    type: "object",
    properties: {
      word: { type: "string" },
      numbers: { type: "array", items: { type: "number" } },
      nested: { type: "object", properties: { flag: { type: "boolean" } }, required: ["flag"] },
    },
    required: ["word", "numbers"],
  },
} as const;

export const outputSchema = z.object({ ok: z.boolean() });

/** What policies say, sensible and not. */
export const sayings = {
  allow: () => allow(),
  deny: () => deny("no"),
  ask: () => ask("May it?"),
  throw: () => {
    throw new Error("the policy broke");
  },
  "throw nothing": () => {
    throw undefined;
  },
  nothing: () => undefined,
  null: () => null,
  true: () => true,
  "the word allow": () => "allow",
  "an unknown verdict": () => ({ verdict: "perhaps" }),
  "a denial without a reason": () => ({ verdict: "deny" }),
  "a question without words": () => ({ verdict: "ask" }),
  "an unreadable verdict": () => ({
    get verdict() {
      throw new Error("cannot be read");
    },
  }),
  "an unprintable reason": () => ({ verdict: "deny", reason: Object.create(null) as unknown }),
} satisfies Record<string, () => unknown>;

export function policyOf(saying: keyof typeof sayings, late: boolean): Policy {
  if (!late) return () => sayings[saying]() as Decision;
  return async () => {
    await Promise.resolve();
    return sayings[saying]() as Decision;
  };
}

/** What a saying amounts to. A question without words is still a question. */
export function verdictOf(saying: keyof typeof sayings): "allow" | "ask" | "deny" {
  if (saying === "allow") return "allow";
  return saying === "ask" || saying === "a question without words" ? "ask" : "deny";
}

/** What tools return: each can be sent, cannot, or may be taken for nothing. */
export const values = {
  json: { sendable: true, make: (json: unknown) => json },
  fitting: { sendable: true, make: () => ({ ok: true }) },
  nothing: { sendable: true, make: () => undefined },
  "not a number": { sendable: true, make: () => Number.NaN },
  date: { sendable: true, make: () => new Date(0) },
  map: { sendable: true, make: () => new Map([[1, 2]]) },
  bytes: { sendable: true, make: () => new Uint8Array([1, 2, 3]) },
  "lone surrogate": { sendable: true, make: () => "\u{d800}" },
  "own __proto__": { sendable: true, make: () => JSON.parse('{"__proto__":{"polluted":true}}') as unknown },
  reply: { sendable: true, make: (json: unknown) => reply(text("see"), { structured: json }) },
  "fitting reply": { sendable: true, make: () => reply(text("see"), { structured: { ok: false } }) },
  bigint: { sendable: false, make: () => 1n },
  "nested bigint": { sendable: false, make: () => ({ deep: [{ n: 1n }] }) },
  cycle: { sendable: false, make: () => cycle() },
  function: { sendable: "perhaps", make: () => () => 1 },
  symbol: { sendable: "perhaps", make: () => Symbol("odd") },
  "toJSON gives nothing": { sendable: "perhaps", make: () => ({ toJSON: () => undefined }) },
  "toJSON throws": { sendable: false, make: () => ({ toJSON: boom }) },
  "getter throws": {
    sendable: false,
    make: () => ({
      get broken() {
        return boom();
      },
    }),
  },
  "reply with a bigint": { sendable: false, make: () => reply(text("see"), { structured: { n: 1n } }) },
  "reply with a cycle": { sendable: false, make: () => reply(text("see"), { structured: cycle() }) },
  "reply with bigint meta": { sendable: false, make: () => reply(text("see"), { meta: { n: 1n } }) },
  "reply with a function": { sendable: "perhaps", make: () => reply(text("see"), { structured: () => 1 }) },
} satisfies Record<string, { sendable: boolean | "perhaps"; make: (json: unknown) => unknown }>;

/** Everything that can be thrown, and the code that it should become. */
export const things = {
  error: { code: "EXECUTION_ERROR", make: () => new Error("broken") },
  "nameless error": { code: "EXECUTION_ERROR", make: () => new Error() },
  string: { code: "EXECUTION_ERROR", make: () => "broken" },
  number: { code: "EXECUTION_ERROR", make: () => 0 },
  nothing: { code: "EXECUTION_ERROR", make: () => undefined },
  null: { code: "EXECUTION_ERROR", make: () => null },
  symbol: { code: "EXECUTION_ERROR", make: () => Symbol("odd") },
  "object without prototype": { code: "EXECUTION_ERROR", make: () => Object.create(null) as unknown },
  "error without a printable message": {
    code: "EXECUTION_ERROR",
    make: () => Object.assign(new Error(), { message: Object.create(null) as string }),
  },
  "error whose message throws": {
    code: "EXECUTION_ERROR",
    make: () => Object.defineProperty(new Error(), "message", { get: boom }),
  },
  "error with a bigint message": {
    code: "EXECUTION_ERROR",
    make: () => Object.assign(new Error(), { message: 1n as unknown as string }),
  },
  "object with a code": { code: "EXECUTION_ERROR", make: () => ({ code: "POLICY_DENIED", message: "forged" }) },
  "proxy that refuses everything": {
    code: "EXECUTION_ERROR",
    make: () => new Proxy({}, { getPrototypeOf: boom, get: boom, has: boom }),
  },
  "invalid input": { code: "INVALID_INPUT", make: () => new BiplaneError("INVALID_INPUT", "found late") },
  "rate limit": { code: "RATE_LIMITED", make: () => new BiplaneError("RATE_LIMITED", "slow down") },
  "ended episode": { code: "EPISODE_ENDED", make: () => new BiplaneError("EPISODE_ENDED", "over") },
} satisfies Record<string, { code: ErrorCode; make: () => unknown }>;

const keys = <K extends string>(record: Record<K, unknown>) => fc.constantFrom(...(Object.keys(record) as K[]));

const run: fc.Arbitrary<Run> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      does: fc.constant("return" as const),
      value: keys(values),
      late: fc.boolean(),
      json: fc.jsonValue({ maxDepth: 3 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ does: fc.constant("throw" as const), thing: keys(things), late: fc.boolean() }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      does: fc.constant("hang" as const),
      whenAborted: fc.constantFrom("obeys", "returns anyway", "throws late", "never ends"),
    }),
  },
);

const validInput = fc.record(
  {
    word: fc.string(),
    numbers: fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }), { maxLength: 4 }),
    nested: fc.record({ flag: fc.boolean() }),
  },
  { requiredKeys: ["word", "numbers"] },
);

const invalidInput = fc.oneof(
  fc.constantFrom<unknown>(null, 7, "words", [], {}, { word: 1, numbers: [] }, { word: "a", numbers: ["b"] }),
  validInput.map((value) => ({ ...value, unknown: 1 })),
  validInput.map((value) => ({ ...value, nested: { flag: true, unknown: 1 } })),
  validInput.map((value) => JSON.parse(`${JSON.stringify(value).slice(0, -1)},"__proto__":{"a":1}}`) as unknown),
);

const policy = fc.record({
  says: fc.oneof({ weight: 4, arbitrary: fc.constant("allow" as const) }, { weight: 1, arbitrary: keys(sayings) }),
  late: fc.boolean(),
});

export const scenarios: fc.Arbitrary<Scenario> = fc.record({
  handler: fc.constantFrom("call", "perform"),
  known: fc.integer({ min: 0, max: 15 }).map((n) => n > 0),
  schema: keys(inputSchemas),
  input: fc.oneof(
    { weight: 6, arbitrary: validInput.map((value) => ({ valid: true, value })) },
    { weight: 1, arbitrary: invalidInput.map((value) => ({ valid: false, value })) },
  ),
  policies: fc.array(policy, { maxLength: 4 }),
  approver: fc.constantFrom("nobody", "yes", "no", "pending", "breaks"),
  run,
  hasOutput: fc.integer({ min: 0, max: 3 }).map((n) => n === 0),
  watched: fc.integer({ min: 0, max: 7 }).map((n) => n > 0),
  hooks: fc.array(fc.constantFrom<HookHabit>("quiet", "throws", "rejects", "meddles"), { maxLength: 3 }),
  cancel: fc.oneof(
    { weight: 4, arbitrary: fc.constant("never" as const) },
    { weight: 3, arbitrary: fc.constantFrom("before" as const, "in a policy", "in run", "after") },
  ),
});

export function boom(): never {
  throw new Error("boom");
}

function cycle(): object {
  const loop: Record<string, unknown> = {};
  return Object.assign(loop, { self: loop });
}
