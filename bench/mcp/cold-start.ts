import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { servers } from "./peers.ts";
import { listLine } from "./requests.ts";

/** A stdio server with the times from its start to its first tool list, in milliseconds. */
export interface ColdStart {
  readonly name: string;
  readonly rounds: readonly number[];
}

/** Starts each stdio server `rounds` times, interleaved. */
export async function coldStarts(times: number): Promise<ColdStart[]> {
  const found = commands.map(({ name, words }) => ({ name, words, rounds: [] as number[] }));
  for (let round = -1; round < times; round++) {
    for (const { words, rounds } of round % 2 === 0 ? found : found.toReversed()) {
      const took = await coldStart(words);
      if (round >= 0) rounds.push(took); // the first start fills the disk cache
    }
  }
  return found.map(({ name, rounds }) => ({ name, rounds }));
}

const commands = [
  { name: "bare node", words: ["bare-stdio.mjs"] },
  { name: "biplane, JSON Schema", words: ["biplane-stdio.mjs", "json"] },
  { name: "SDK v2, JSON Schema", words: ["sdk-stdio.mjs", "json"] },
  { name: "biplane, zod", words: ["biplane-stdio.mjs", "zod"] },
  { name: "SDK v2, zod", words: ["sdk-stdio.mjs", "zod"] },
];

async function coldStart([file = "", ...args]: readonly string[]): Promise<number> {
  const { NODE_OPTIONS: _, ...env } = process.env;
  const startedAt = performance.now();
  const child = spawn(process.execPath, [join(servers, file), ...args], { env, stdio: ["pipe", "pipe", "inherit"] });
  const exit = once(child, "exit");
  child.stdin.write(listLine());
  let text = "";
  for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
    text += chunk.toString();
    if (text.includes("\n")) break;
  }
  const took = performance.now() - startedAt;
  child.kill();
  await exit;
  if (!text.includes('"tools":[')) throw new Error(`${file} did not list its tools: ${text.slice(0, 500)}`);
  return took;
}
