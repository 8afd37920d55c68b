import { setTimeout as pause } from "node:timers/promises";
import type { Client } from "../../client/client.ts";
import { rpcErrorOf } from "../../client/response.ts";
import { BiplaneError } from "../../errors.ts";
import type { TextStyle } from "../template.ts";
import type { Acted, Action } from "./door.ts";
import { readObservation } from "./observation.ts";

/**
 * Calls a tool over MCP. What the server itself refuses, such as a tool that is not there, is for the model to read; a
 * server that is busy is asked again; everything else is thrown.
 */
export async function callOver(
  client: Client,
  { name, input }: Action,
  options: { sessionId: string; style: TextStyle; signal: AbortSignal },
): Promise<Acted> {
  const { signal } = options;
  for (let attempt = 1; ; attempt++) {
    try {
      return readObservation(await client.callTool(name, input, { signal, idempotent: false }), options);
    } catch (error) {
      if (!(error instanceof BiplaneError)) throw error;
      const isBusy = error.code === "RATE_LIMITED" || error.code === "CAPACITY";
      if (isBusy && attempt < mostAttempts) await pause(attempt * 100 * (0.5 + Math.random()), undefined, { signal });
      else if (!isBusy && rpcErrorOf(error) !== undefined)
        return readObservation(
          { content: [{ type: "text", text: `Error: ${error.message}` }], isError: true },
          options,
        );
      else throw error;
    }
  }
}

const mostAttempts = 6;
