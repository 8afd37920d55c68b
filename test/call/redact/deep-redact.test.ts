import { expect, test } from "vitest";
import { createRedactor } from "../../../packages/core/src/call/redact/redactor.ts";
import { BiplaneError } from "../../../packages/core/src/errors.ts";
import { isReply, reply, text } from "../../../packages/core/src/tool/content.ts";

const redactor = createRedactor([
  { name: "A", value: "hidden-value" },
  { name: "PIN", value: "12345678" },
]);

test("a value without secrets comes back itself, with everything in it", () => {
  const value = { list: ["visible", { deep: [1, null, true, undefined] }], when: new Date(0), bytes: Buffer.from("x") };
  expect(redactor.value(value)).toBe(value);
  expect(redactor.value("visible text")).toBe("visible text");
  expect(redactor.value(undefined)).toBeUndefined();
});

test("hides strings and keys at any depth, and changes nothing else or in place", () => {
  const value = {
    "hidden-value": 1,
    list: ["a hidden-value", ["hidden-value"]],
    deep: { er: { "key of hidden-value": null, same: "same" } },
    left: [0, -1.5, true, null],
  };
  const before = structuredClone(value);
  expect(redactor.value(value)).toEqual({
    "[REDACTED:A]": 1,
    list: ["a [REDACTED:A]", ["[REDACTED:A]"]],
    deep: { er: { "key of [REDACTED:A]": null, same: "same" } },
    left: [0, -1.5, true, null],
  });
  expect(value).toEqual(before);
});

test("two keys that become one are both kept", () => {
  const encoded = Buffer.from("hidden-value").toString("hex");
  expect(redactor.value({ "hidden-value": 1, [encoded]: 2, [encoded.toUpperCase()]: 3 })).toEqual({
    "[REDACTED:A]": 1,
    "[REDACTED:A] (2)": 2,
    "[REDACTED:A] (3)": 3,
  });
});

test("a reply is still a reply", () => {
  const answer = redactor.value(reply(text("hidden-value"), { structured: { is: "hidden-value" } }));
  expect(isReply(answer)).toBe(true);
  expect(answer.content).toEqual([{ type: "text", text: "[REDACTED:A]" }]);
  expect(answer.structured).toEqual({ is: "[REDACTED:A]" });
});

test("a number that spells a secret becomes a string", () => {
  expect(redactor.value({ n: 12345678, big: 9912345678n, other: 1234567 })).toEqual({
    n: "[REDACTED:PIN]",
    big: "99[REDACTED:PIN]",
    other: 1234567,
  });
});

test("what goes round in circles still does", () => {
  const circle: { name: string; self?: unknown; list: unknown[] } = { name: "hidden-value", list: [] };
  circle.self = circle;
  circle.list.push(circle.list, circle);
  const copy = redactor.value(circle);
  expect(copy.name).toBe("[REDACTED:A]");
  expect(copy.self).toBe(copy);
  expect(copy.list).toEqual([copy.list, copy]);
  circle.name = "visible";
  expect(redactor.value(circle)).toBe(circle);
});

test("no depth is too deep and no sharing too wide", () => {
  let chain: unknown = "hidden-value";
  for (let depth = 0; depth < 100_000; depth++) chain = [chain];
  let copy: unknown = redactor.value(chain);
  while (Array.isArray(copy)) copy = copy[0];
  expect(copy).toBe("[REDACTED:A]");

  let shared: unknown = ["visible"];
  for (let depth = 0; depth < 100; depth++) shared = [shared, shared];
  expect(redactor.value(shared)).toBe(shared);
});

test("maps, sets, errors and objects of a class keep what they are", () => {
  class Account {
    password = "hidden-value";
    owner = "Ada";
  }
  const error = new BiplaneError("TIMEOUT", "no answer to hidden-value", { details: { token: "hidden-value" } });
  const copy = redactor.value({
    map: new Map([["hidden-value", { is: "hidden-value" }]]),
    set: new Set(["hidden-value"]),
    account: new Account(),
    untouched: new Date(5),
    error: new Error("outer", { cause: error }),
  });
  expect(copy.map).toEqual(new Map([["[REDACTED:A]", { is: "[REDACTED:A]" }]]));
  expect(copy.set).toEqual(new Set(["[REDACTED:A]"]));
  expect(copy.account).toBeInstanceOf(Account);
  expect(copy.account).toEqual({ password: "[REDACTED:A]", owner: "Ada" });
  expect(copy.untouched).toEqual(new Date(5));
  const cause = copy.error.cause as BiplaneError;
  expect(copy.error.message).toBe("outer");
  expect(cause).toBeInstanceOf(BiplaneError);
  expect(cause).toMatchObject({ code: "TIMEOUT", message: "no answer to [REDACTED:A]", name: "BiplaneError" });
  expect(cause.details).toEqual({ token: "[REDACTED:A]" });
  expect(cause.stack).toContain("no answer to [REDACTED:A]");
  expect(cause.stack).not.toContain("hidden-value");
  expect(Object.keys(cause)).not.toContain("stack");
});

test("an object that says itself what its JSON is shows that, redacted", () => {
  const value = { url: new URL("https://example.com/?key=hidden-value"), clean: new URL("https://example.com/") };
  expect(redactor.value(value)).toEqual({ url: "https://example.com/?key=[REDACTED:A]", clean: value.clean });
});

test("a key called __proto__ stays a key", () => {
  const value = JSON.parse('{"__proto__":{"a":"hidden-value"}}') as object;
  expect(JSON.stringify(redactor.value(value))).toBe('{"__proto__":{"a":"[REDACTED:A]"}}');
});
