import { readFileSync } from "node:fs";
import { platform } from "node:os";
import { Worker } from "node:worker_threads";
import { expect, test } from "vitest";
import { startYielding } from "../../packages/biplane/src/yielding-thread.ts";

test.runIf(platform() === "linux")("a thread has a lower priority before it runs its first line", async () => {
  const code = `
    const thread = require("node:fs").readlinkSync("/proc/thread-self").split("/").pop();
    require("node:worker_threads").parentPort.postMessage(thread);`;
  const worker = startYielding(() => new Worker(code, { eval: true }));
  try {
    const thread = await new Promise((resolve) => worker.once("message", resolve));
    expect(niceOf(String(thread))).toBe(10);
    expect(niceOf(String(process.pid))).toBeLessThan(10);
  } finally {
    await worker.terminate();
  }
});

test.runIf(platform() === "linux")(
  "a thread that computes without a pause has the lowest priority meanwhile",
  async () => {
    const code = `
    const { parentPort } = require("node:worker_threads");
    parentPort.postMessage(require("node:fs").readlinkSync("/proc/thread-self").split("/").pop());
    parentPort.once("message", (ms) => {
      for (const end = Date.now() + ms; Date.now() < end;);
      setInterval(() => undefined, 1000);
    });`;
    const worker = startYielding(() => new Worker(code, { eval: true }));
    try {
      const thread = String(await new Promise((resolve) => worker.once("message", resolve)));
      worker.postMessage(1500, []);
      await expect.poll(() => niceOf(thread), { timeout: 10_000 }).toBe(19);
      // Only an administrator may raise it again.
      if (process.getuid?.() === 0) await expect.poll(() => niceOf(thread), { timeout: 10_000 }).toBe(10);
    } finally {
      await worker.terminate();
    }
  },
);

/** The 19th field. The second one, which may contain spaces, ends with a parenthesis. */
function niceOf(thread: string): number {
  const fields = readFileSync(`/proc/self/task/${thread}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
  return Number(fields[16]);
}
