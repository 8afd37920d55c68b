import { expect, test } from "vitest";
import { ComputedTime } from "../../packages/biplane/src/code/computed-time.ts";
import { ownTime } from "../../packages/biplane/src/code/thread-time.ts";
import { skipWithout } from "../support/needs.ts";

const linux = skipWithout(process.platform === "linux", "Linux, which tells how long a thread has computed");

test("time in which a thread is stopped is no time of its code", linux, () => {
  const time = new ComputedTime();
  time.start();
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
  expect(time.passedMs).toBeGreaterThan(250);
  expect(time.ms).toBeLessThan(100);
});

test("time in which code computes counts, and that of the host does not", () => {
  const time = new ComputedTime();
  time.start();
  compute(60);
  time.without(() => compute(200));
  compute(60);
  expect(time.ms).toBeGreaterThan(110);
  expect(time.ms).toBeLessThan(200);
});

function compute(ms: number): void {
  for (const end = ownTime().computed() + ms; ownTime().computed() < end;);
}
