import { readFile } from "node:fs/promises";
import { prompt, resource, server, tool } from "biplane";
import type { Served, Server } from "biplane";
import { connect } from "biplane/client";
import type { Client } from "biplane/client";
import { recordSessions, readSessionRecordings } from "biplane/recording";
import type { RecordingLine, SessionRecorderOptions, SessionRecordings } from "biplane/recording";

export const secret = "sk-orders-0123456789";

/** Orders that can be looked up and cancelled. Each server has its own. */
export function orders(): Server {
  const cancelled = new Set<string>();
  const byId = { type: "object", properties: { id: { type: "string" } }, required: ["id"] } as const;
  return server({
    name: "orders",
    version: "1.2.3",
    secrets: { ORDERS_KEY: secret },
    tools: [
      tool({
        name: "order_get",
        description: "Look up an order",
        input: byId,
        annotations: { readOnlyHint: true },
        run: ({ id }) => ({ id, status: cancelled.has(id) ? "cancelled" : "open" }),
      }),
      tool({
        name: "order_cancel",
        input: byId,
        run: ({ id }) => {
          if (cancelled.has(id)) throw new Error(`${id} is cancelled already`);
          cancelled.add(id);
          return `Cancelled ${id}`;
        },
      }),
      tool({
        name: "order_list",
        input: {
          type: "object",
          properties: { limit: { type: "integer", default: 10 }, customer: { type: "string" } },
        },
        run: ({ customer }) => [`A-1 of ${customer ?? "anyone"}`],
      }),
      tool({ name: "key_show", run: () => ({ key: secret, note: `the key is ${secret}` }) }),
    ],
    resources: [resource({ name: "policy", uri: "policy://refunds", read: () => "Refunds take 3 days." })],
    prompts: [prompt({ name: "greet", arguments: { who: {} }, get: ({ who }) => `Greet ${who}.` })],
  });
}

export type Play = (client: Client) => Promise<unknown>;

/** Records sessions of a server, each with a client of its own, one after the other. */
export async function record(
  served: Served,
  plays: readonly Play[],
  options: SessionRecorderOptions & { readonly era?: "legacy" | "modern" },
): Promise<SessionRecordings> {
  const { era = "legacy", ...more } = options;
  await using _ = await recordSessions(served, more);
  for (const play of plays) {
    await using client = await connect(served, { era });
    await play(client);
  }
  return readSessionRecordings([options.file]);
}

export async function linesOf(file: string): Promise<RecordingLine[]> {
  const text = await readFile(file, "utf8");
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as RecordingLine);
}
