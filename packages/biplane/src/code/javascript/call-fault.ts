import { BiplaneError } from "@biplane/core";
import { boundsFault, callBounds } from "../json-bounds.ts";
import { invalidArguments, unknownTool } from "../tool-error.ts";
import type { ToolGuide } from "./toolset.ts";

export interface CallSurroundings {
  readonly guide: ToolGuide;
  /** Calls without a reply yet, with the length of their arguments. */
  readonly open: ReadonlyMap<number, number>;
}

/**
 * Why a guest may not make a call; undefined if it may. Code that finds a way around the prelude can send anything, so
 * nothing about the call is trusted.
 */
export function callFault(tool: string, input: string, { guide, open }: CallSurroundings): BiplaneError | undefined {
  if (!guide.has(tool)) return unknownTool(tool);
  const why = boundsFault(input, callBounds);
  if (why !== undefined) return invalidArguments(tool, why);
  if (lengthOf(open) + input.length <= maxOpenLength) return undefined;
  const message = `The calls that run already have more than ${maxOpenLength} bytes of arguments. Await some of them.`;
  return new BiplaneError("CAPACITY", message);
}

/** The length of the arguments that the host keeps until the calls end. */
export function lengthOf(open: ReadonlyMap<number, number>): number {
  let sum = 0;
  for (const length of open.values()) sum += length;
  return sum;
}

const maxOpenLength = 4 * callBounds.length;
