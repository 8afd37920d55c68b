import { hostname } from "node:os";
import { expect, test } from "vitest";
import { waiting } from "../../packages/gallery/src/waiting/waiting.ts";
import { train } from "./trainer.ts";

test("waits as long as requested, without reward or end", async () => {
  await using environment = waiting();
  const episode = await environment.start({ seed: 1 });
  const begun = performance.now();
  expect(await environment.call(episode, "time_wait", { wait_seconds: 0.05 })).toMatchObject({
    waited_seconds: 0.05,
    pid: process.pid,
  });
  expect(performance.now() - begun).toBeGreaterThanOrEqual(45);
  expect(await environment.call(episode, "time_wait", {})).toMatchObject({ waited_seconds: 0, step_count: 2 });
  expect(episode).toMatchObject({ last: { reward: null }, stepCount: 2, isOver: false });
});

test("a wait that is cancelled ends at once and is no step", async () => {
  await using environment = waiting();
  const episode = await environment.start();
  const controller = new AbortController();
  const call = environment.call(episode, "time_wait", { wait_seconds: 60 }, { signal: controller.signal });
  controller.abort();
  await expect(call).rejects.toMatchObject({ code: "CANCELLED" });
  expect(episode.stepCount).toBe(0);
  expect(await environment.call(episode, "time_wait", { wait_seconds: 0 })).toMatchObject({ waited_seconds: 0 });
});

test("one session does not wait for another's wait", async () => {
  await using environment = waiting();
  const [slow, quick] = await Promise.all([environment.start(), environment.start()]);
  const controller = new AbortController();
  const long = environment.call(slow, "time_wait", { wait_seconds: 60 }, { signal: controller.signal });
  await environment.call(quick, "time_wait", { wait_seconds: 0.001 });
  expect([slow.stepCount, quick.stepCount]).toEqual([0, 1]);
  controller.abort();
  await expect(long).rejects.toMatchObject({ code: "CANCELLED" });
});

test.each([{ wait_seconds: 61 }, { wait_seconds: -1 }, { wait_seconds: "1" }, { seconds: 1 }])(
  "%j is refused",
  async (input) => {
    await using environment = waiting();
    const episode = await environment.start();
    await expect(environment.call(episode, "time_wait", input)).rejects.toMatchObject({ code: "INVALID_INPUT" });
  },
);

test("each session has a hash of its own, the same for the same seed", async () => {
  await using environment = waiting();
  const hashOf = async (seed: number) =>
    ((await environment.start({ seed })).firstObservation as { session_hash: string }).session_hash;
  const hashes = await Promise.all([1, 1, 2].map(hashOf));
  expect(hashes[0]).toMatch(/^[0-9a-f]{16}$/);
  expect(hashes[1]).toBe(hashes[0]);
  expect(hashes[2]).not.toBe(hashes[0]);
});

test("a load test's reset and step over a socket", async () => {
  await using trainer = await train(waiting());
  const { observation } = await trainer.reset({ seed: 1 });
  expect(observation).toEqual({
    waited_seconds: 0,
    pid: process.pid,
    session_hash: expect.stringMatching(/^[0-9a-f]{16}$/) as string,
    host_url: `${hostname()}:8000`,
    step_count: 0,
  });
  const answer = await trainer.step({ wait_seconds: 0.01 });
  const after = { ...observation, waited_seconds: 0.01, step_count: 1 };
  expect(answer).toEqual({ observation: after, reward: null, done: false });
  expect(await trainer.refused({ wait_seconds: 100 })).toBe("VALIDATION_ERROR");
});
