import { BiplaneError } from "@biplane/core";
import { recordOrEmpty } from "../shared/net/rest-client.ts";
import type { RestClient } from "../shared/net/rest-client.ts";
import type { ChatProvider } from "./provider.ts";

export const discordHeaders = (token: string) => ({ authorization: `Bot ${token}` });

/** Sends to channels and, through a direct message channel, to users. */
export function discord(rest: RestClient, options: { targets: readonly string[]; mentions: boolean }): ChatProvider {
  const { targets, mentions } = options;
  const post = async (path: readonly string[], body: unknown, signal: AbortSignal): Promise<string> => {
    const { id } = recordOrEmpty((await rest({ method: "POST", path, body, signal })).data);
    if (typeof id !== "string") throw new BiplaneError("EXECUTION_ERROR", "Discord returned a response without an id.");
    return id;
  };
  return {
    name: "discord",
    idPattern: /^\d{1,20}$/,
    targets,
    limit: 2000,
    fences: true,
    open: async ({ kind, id }, signal) => {
      const channel = kind === "channel" ? id : await post(["users", "@me", "channels"], { recipient_id: id }, signal);
      return (content) => {
        const message = { content, ...(!mentions && { allowed_mentions: { parse: [] } }) };
        return post(["channels", channel, "messages"], message, signal);
      };
    },
  };
}

/** Extracts Discord's error message and code. */
export function explainDiscord(data: unknown): string | undefined {
  const { message, code } = recordOrEmpty(data);
  return typeof message === "string"
    ? `${message}${typeof code === "number" && code !== 0 ? ` (${code})` : ""}`
    : undefined;
}
