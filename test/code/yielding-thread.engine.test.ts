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

/** The 19th field. The second one, which may contain spaces, ends with a parenthesis. */
function niceOf(thread: string): number {
  const fields = readFileSync(`/proc/self/task/${thread}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
  return Number(fields[16]);
}
