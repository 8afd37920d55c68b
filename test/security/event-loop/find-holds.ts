import type { HeldServer } from "./held-server.ts";

/** One hostile input that can have any size. */
export interface HostileCase {
  readonly name: string;
  /** The largest size that is worth sending: the limit of the endpoint, or a little more. */
  readonly limit: number;
  /** Makes what the request needs, without being measured. */
  readonly prepare?: (size: number) => Promise<unknown>;
  readonly send: (size: number) => Promise<unknown>;
}

export const isSoak = process.env["BIPLANE_SOAK"] === "1";

/** What one input may hold the event loop for, in milliseconds of CPU time on the machine of the calibration. */
const maxHoldMs = 50;
/** Twice the input may take twice the time, with a tolerance, and what the meter and the collector of garbage add. */
const tolerance = 1.25;
const noiseMs = 12;
/** A hold counts if it is seen in every one of so many tries. */
const tries = 8;

/** The cases that hold the event loop too long, or longer than in proportion, each with its figures. */
export async function findHolds(server: HeldServer, cases: readonly HostileCase[]): Promise<string[]> {
  const found: string[] = [];
  let requests = 0;
  let done = 0;
  for (const each of cases) {
    const hold = await holdOf(server, each, () => requests++).catch(
      (error: unknown) => `${each.name}: ${String(error)}`,
    );
    if (hold !== undefined) found.push(hold);
    if (hold !== undefined && isSoak) console.log(hold);
    if (isSoak && (++done % 500 === 0 || done === cases.length))
      console.log(`${done} of ${cases.length} cases, ${requests} measured requests, ${found.length} holds`);
    if (!server.isAlive) return [...found, `${each.name} ends the server: ${server.log.slice(-20).join("\n")}`];
  }
  return found;
}

async function holdOf(server: HeldServer, hostile: HostileCase, onTry: () => void): Promise<string | undefined> {
  let before = { size: 1, held: Infinity };
  for (const size of sizesOf(hostile.limit)) {
    const proportional = tolerance * before.held * (size / before.size) + noiseMs * server.factor;
    const most = Math.min(maxHoldMs * server.factor, proportional);
    await hostile.prepare?.(size);
    let held = Infinity;
    for (let turn = 0; turn < tries && held > most; turn++) {
      onTry();
      held = Math.min(held, await server.held(() => hostile.send(size)));
    }
    if (held > most) {
      const smaller = before.held === Infinity ? "" : `, and ${before.held.toFixed()} ms with size ${before.size}`;
      return `${hostile.name} holds it ${held.toFixed()} ms with size ${size}${smaller}`;
    }
    before = { size, held };
  }
  return undefined;
}

/** Growing sizes up to the limit. Every day, two that already show what grows faster than its input. */
function sizesOf(limit: number): number[] {
  const shares = limit <= 100_000 ? [2, 1] : isSoak ? [16, 4, 1] : [32, 16];
  return shares.map((share) => Math.max(1, Math.floor(limit / share)));
}
