import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { server } from "biplane";
import type { BiplaneError } from "biplane";
import type { RemoteServer } from "../../../packages/core/src/client/mount/remote-server.ts";
import { remoteServer } from "../../../packages/core/src/client/mount/remote-server.ts";

const isSoak = process.env["BIPLANE_SOAK"] === "1";
const calls = isSoak ? 400 : 25;
/** Long enough for a healthy server on a busy machine. */
const callTimeoutMs = isSoak ? 700 : 2000;
const program = fileURLToPath(new URL("./sick-server.mjs", import.meta.url));

const sick = (sickness: number) => ({
  command: process.execPath,
  args: [program, String(sickness)],
});

test(
  "of eight mounted servers the healthy ones keep working while others die, hang and send garbage",
  async () => {
    const sickness = [0, 0, 0, 0, 0.25, 0.25, 0.25, 0.25];
    const gateway = server({ name: "gateway", version: "1", limits: false, onFault: () => undefined });
    const mounts: RemoteServer[] = [];
    for (const [at, each] of sickness.entries()) {
      const name = `s${at}`;
      const options = {
        name,
        callTimeoutMs,
        onWarning: () => undefined,
        breaker: { restMs: 50 },
        era: "legacy",
      } as const;
      const remote = await remoteServer(sick(each), options);
      gateway.mount(name, remote, { prefix: "always" });
      mounts.push(remote);
    }

    const outcomes = await Promise.all(
      sickness.map(async (each, at) => {
        const failed: string[] = [];
        let longestMs = 0;
        for (let n = 0; n < calls; n++) {
          const began = performance.now();
          try {
            const content = await gateway.call(`s${at}_work`, { n });
            expect(content).toEqual([{ type: "text", text: `done {"n":${n}}` }]);
          } catch (error) {
            failed.push((error as BiplaneError).message);
            if (/tried again/.test((error as BiplaneError).message)) await new Promise((go) => setTimeout(go, 60));
          }
          longestMs = Math.max(longestMs, performance.now() - began);
        }
        return { each, failed, longestMs };
      }),
    );

    for (const { each, failed, longestMs } of outcomes) {
      if (each === 0) expect(failed).toEqual([]);
      else expect(failed.length).toBeGreaterThan(0);
      for (const message of failed) expect(message).toMatch(/timed out after|not retried|is unavailable|exited|gone/i);
      expect(longestMs).toBeLessThan(callTimeoutMs + 3000); // the machine may be slow; nobody waits without end
    }

    // All recover: somewhen each of them answers again.
    for (const at of sickness.keys()) {
      await expect
        .poll(() => gateway.call(`s${at}_work`, { n: -1 }).catch((error: Error) => error.message), { timeout: 20_000 })
        .toEqual([{ type: "text", text: 'done {"n":-1}' }]);
    }
    expect(mounts.slice(0, 4).map(({ health }) => health.status)).toEqual(["up", "up", "up", "up"]);
    await Promise.all(mounts.map((mount) => mount.close()));
    await gateway.close();
  },
  isSoak ? 600_000 : 90_000,
);
