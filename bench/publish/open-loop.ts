import type { Lane } from "../mcp/subject.ts";

/** Latencies of requests that arrive at a fixed rate, in milliseconds from the time at which each was due. */
export interface OpenLoop {
  readonly latencies: readonly number[];
  readonly servedPerSecond: number;
  /** The server fell a second behind, so the load was stopped. */
  readonly isSaturated: boolean;
}

/**
 * Sends requests at a fixed rate, whether or not earlier ones are answered. Each takes the first free connection. The
 * time that a request waits for one counts, as it does for a caller; otherwise a slow server would hide its delays.
 */
export async function offerLoad(
  lanes: readonly Lane[],
  { rate, seconds }: { rate: number; seconds: number },
): Promise<OpenLoop> {
  const total = Math.round(rate * seconds);
  const free = [...lanes];
  const latencies: number[] = [];
  const startedAt = performance.now();
  const dueAt = (at: number) => startedAt + (at * 1000) / rate;
  let sent = 0;
  let isSaturated = false;
  await new Promise<void>((resolve, reject) => {
    let hasFailed = false;
    const fail = (error: Error) => {
      hasFailed = true;
      reject(error);
    };
    const send = (lane: Lane, due: number) => {
      const done = ({ status }: { status: number }) => {
        if (status !== 200) return fail(new Error(`A request was answered with status ${status}.`));
        latencies.push(performance.now() - due);
        free.push(lane);
      };
      lane.connection.send(lane.request, { keep: false, done, fail });
    };
    // Timers are exact to a millisecond only, so this polls.
    const turn = () => {
      const now = performance.now();
      const last = isSaturated ? sent : total;
      while (free.length > 0 && sent < last && dueAt(sent) <= now) send(free.pop() as Lane, dueAt(sent++));
      isSaturated ||= sent < total && now - dueAt(sent) > 1000;
      const isOver = free.length === lanes.length && (sent === total || isSaturated);
      if (isOver) resolve();
      else if (!hasFailed) setImmediate(turn);
    };
    turn();
  });
  const servedPerSecond = (latencies.length * 1000) / (performance.now() - startedAt);
  return { latencies: latencies.sort((a, b) => a - b), servedPerSecond, isSaturated };
}

/** The value below which this share of sorted figures is. */
export function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
