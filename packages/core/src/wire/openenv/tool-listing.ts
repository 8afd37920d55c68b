import type { Environment } from "../../environment/environment.ts";
import type { Episode } from "../../environment/episode.ts";
import { isRecord } from "../../is-record.ts";
import { isForModel } from "../../tool/app.ts";
import { noStep, payload } from "./payload.ts";
import type { Payload } from "./payload.ts";

export function asksForTools(action: unknown): boolean {
  return isRecord(action) && action["type"] === "list_tools";
}

/** Answers the action that lists tools. It is no step, and clients send it before they reset. */
export function toolListing(environment: Environment, episode: Episode | undefined): Payload {
  const tools = Array.from(environment.server.tools)
    .filter(isForModel)
    .map(({ name, description, input }) => ({
      name,
      description: description ?? "",
      input_schema: input.json,
      inputSchema: input.json, // as in RFC 003
    }));
  if (!episode) return { observation: { tools }, reward: null, done: false, metadata: {} };
  return payload({ tools }, episode, noStep(episode));
}
