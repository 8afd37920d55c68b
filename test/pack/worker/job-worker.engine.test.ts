import { afterAll, expect, test } from "vitest";
import { pagePlaces, pageReader } from "../../../packages/biplane/src/pack/web/page-reader.ts";

const reader = pageReader();
afterAll(() => reader[Symbol.asyncDispose]());

const { signal } = new AbortController();
const url = "http://example.com/";
const convert = (caller: string, options: { html?: string; signal?: AbortSignal; prepared?: () => void } = {}) => {
  const prepare = () => {
    options.prepared?.();
    return { html: options.html ?? `<p>${caller}`, url };
  };
  return reader.run(prepare, {
    caller,
    signal: options.signal ?? new AbortController().signal,
    failure: "Not converted",
  });
};

test("callers take turns at the worker, however many jobs one of them has waiting", async () => {
  const order: string[] = [];
  const greedy = Array.from({ length: 20 }, () => convert("greedy").then(() => order.push("greedy")));
  await convert("modest").then(() => order.push("modest"));
  expect(order.indexOf("modest")).toBeLessThanOrEqual(2);
  await Promise.all(greedy);
  expect(order).toHaveLength(21);
});

test("a caller that fills its places leaves places to the others, and gets its own back", async () => {
  const { perCaller } = pagePlaces.limits;
  const greedy = Array.from({ length: perCaller }, () => convert("greedy"));
  await expect(convert("greedy")).rejects.toMatchObject({
    code: "CAPACITY",
    message: `One caller can hold at most ${perCaller} pages to convert. Release some, or try again later.`,
  });
  expect(await convert("modest")).toMatchObject({ markdown: "modest" });
  await Promise.all(greedy);
  expect(pagePlaces.total).toBe(0);
  expect(await convert("greedy")).toMatchObject({ markdown: "greedy" });
});

test("a job that is cancelled while it waits is never prepared and frees its place", async () => {
  const cancel = new AbortController();
  let prepared = false;
  const running = convert("first");
  const waiting = convert("second", { signal: cancel.signal, prepared: () => (prepared = true) });
  cancel.abort(new Error("cancelled"));
  await expect(waiting).rejects.toThrow("cancelled");
  await running;
  expect(prepared).toBe(false);
  expect(pagePlaces.total).toBe(0);
});

test("a job that fails says what failed, and the next one runs", async () => {
  await expect(
    reader.run(() => Promise.reject(new Error("unreachable")), { caller: "first", signal, failure: "Not converted" }),
  ).rejects.toThrow("unreachable");
  await expect(
    reader.run(() => ({ html: 7 as never, url }), { caller: "first", signal, failure: "Not converted" }),
  ).rejects.toThrow("Not converted: it is broken.");
  expect(await convert("first")).toMatchObject({ markdown: "first" });
});
