import { afterEach, expect, test, vi } from "vitest";
import { memoryStore } from "../../packages/core/src/store/memory-store.ts";
import { Journal } from "../../packages/biplane/src/code/journal.ts";
import type { LiveCall } from "../../packages/core/src/call/live-call.ts";
import { ServerCore } from "../../packages/core/src/server/server-core.ts";

afterEach(() => vi.useRealTimers());

test("an action that makes a thousand calls is written once a second, not with each call", async () => {
  vi.useFakeTimers();
  const store = memoryStore();
  const put = vi.spyOn(store, "put");
  const caller = { principal: { kind: "token", id: "ada", scopes: [] }, redactor: undefined } as unknown as LiveCall;
  const entry = new Journal(store, new ServerCore({ name: "test" })).begin("javascript", "await say()", caller);
  await vi.advanceTimersByTimeAsync(1000);
  expect(put).toHaveBeenCalledTimes(1);
  for (let calls = 1; calls <= 1000; calls++)
    entry.note(Array.from({ length: calls }, () => ({ tool: "say", outcome: "done" })));
  await vi.advanceTimersByTimeAsync(999);
  expect(put).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(put).toHaveBeenCalledTimes(2);
  expect(put.mock.lastCall?.[2]["calls"]).toHaveLength(100);
  await entry.end();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(put).toHaveBeenCalledTimes(2);
  expect(await store.list("code-actions")).toEqual([]);
});
