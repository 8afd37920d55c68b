import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { bundledScript } from "../support/bundled-script.ts";

const soak = process.env["BIPLANE_SOAK"] === "1";
const [calls, sessions] = soak ? [1_000_000, 10_000] : [20_000, 1000];
const megabyte = 1024 * 1024;

test(`memory is flat over ${calls} calls and after ${sessions} sessions opened and abandoned`, async () => {
  const script = bundledScript(new URL("memory-child.ts", import.meta.url));
  const words = ["--expose-gc", script, String(calls), String(sessions)];
  const { stdout } = await promisify(execFile)(process.execPath, words);
  const { heaps, full } = JSON.parse(stdout) as { heaps: number[]; full: number };
  const [first = 0, ...later] = heaps;
  for (const heap of later) expect(heap - first).toBeLessThan(2 * megabyte);
  expect(full - first).toBeGreaterThan(0.2 * megabyte); // the sessions were really there
}, 600_000);
