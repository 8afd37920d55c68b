import { person } from "./session.ts";

/*
 * What was on the screen, for whoever comes back to it: it is there at once, while the server is asked again. Only the
 * last few, and never somebody else's.
 */
const kept = new Map<string, unknown>();
const most = 12;

export function keepAnswer(address: string, answer: unknown): void {
  kept.delete(address);
  kept.set(address, answer);
  for (const oldest of kept.keys()) if (kept.size > most) kept.delete(oldest);
}

export function keptAnswer(address: string): unknown {
  return kept.get(address);
}

person.subscribe(() => kept.clear());
