import type { BiplaneError } from "@biplane/core";
import { Shares } from "@biplane/core/internal";
import { CallerTurns } from "./caller-turns.ts";

const megabyte = 1024 * 1024;

/** Bytes that contexts keep between actions, and actions while they wait. All engines of a process share this count. */
export const codeBytes = new Shares("bytes of code state", { perCaller: 128 * megabyte, total: 512 * megabyte });

/** Actions that run, or wait for a worker, a tool or a person. */
export const codeActions = new Shares("code actions at once", { perCaller: 32, total: 4096 });

/** Turns to compute. All engines of a process share them, so that a caller gains nothing by using several languages. */
export const codeTurns = new CallerTurns();

/** The message for an agent whose state is more than it can keep. */
export function notKept({ message }: BiplaneError): string {
  return `The state after this action is not kept. ${message} The state before it is kept.`;
}
