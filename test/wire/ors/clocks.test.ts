import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { counter } from "../../environment/counter.ts";
import { stateless } from "../../environment/stateless.ts";
import { serveForTest } from "../../support/serve-for-test.ts";
import { OrsClient, eventsIn } from "./client.ts";

const second = 1000;
const minute = 60 * second;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
});
afterEach(() => {
  vi.useRealTimers();
});

test("a call that runs sends a comment every 10 seconds, and none after its end", async () => {
  let finish: () => void = () => undefined;
  const finished = new Promise<void>((resolve) => (finish = resolve));
  const subject = stateless({
    name: "slow",
    tools: (tool) => ({ work: tool({ timeoutMs: 10 * minute, run: () => finished }) }),
  });
  const url = await serveForTest([subject]);
  const session = await new OrsClient(url).begin();
  const response = await fetch(`${url}/call`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-session-id": session.sid },
    body: JSON.stringify({ name: "work", input: {} }),
  });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let heard = "";
  const hear = async (count: number) => {
    while (heard.split(": ping - ").length - 1 < count) heard += (await reader?.read())?.value ?? "";
  };
  for (let pings = 1; pings <= 3; pings++) {
    vi.advanceTimersByTime(10 * second - 1);
    expect(heard.split(": ping - ")).toHaveLength(pings);
    vi.advanceTimersByTime(1);
    await hear(pings);
  }
  finish();
  for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) heard += part.value;
  expect(heard).toMatch(/(: ping - \S+Z\r\n\r\n){3}event: end\r\ndata: .*\r\n\r\n$/);
  expect(eventsIn(heard).map(({ event }) => event)).toEqual(["task_id", "end"]);
});

test("the end of a call is kept for 60 seconds", async () => {
  const session = await new OrsClient(await serveForTest([counter()])).begin();
  const { text } = await session.post("/call", { name: "add", input: { by: 1 } });
  const [{ data: taskId } = { data: "" }, end] = eventsIn(text);
  const again = async () => {
    const { text: answer } = await session.post("/call", { name: "add", input: { by: 1 }, task_id: taskId });
    return eventsIn(answer).at(-1);
  };
  vi.advanceTimersByTime(minute - 1);
  expect(await again()).toEqual(end);
  vi.advanceTimersByTime(1);
  expect(await again()).toEqual({ event: "error", data: "unknown task_id" });
});

test("a session lives as long as its client pings, and ends 15 minutes later", async () => {
  const subject = counter();
  const session = await new OrsClient(await serveForTest([subject])).begin();
  for (let pings = 0; pings < 3; pings++) {
    vi.advanceTimersByTime(14 * minute);
    expect((await session.post("/ping")).body).toEqual({ status: "ok" });
  }
  vi.advanceTimersByTime(17 * minute); // it is looked for once a minute
  expect(await session.post("/ping")).toMatchObject({ status: 410, body: { detail: "Session deleted" } });
  await vi.waitUntil(() => subject.episodes.size === 0);
});
