import { BiplaneError } from "@biplane/core";
import { recordOrEmpty } from "../shared/net/rest-client.ts";
import type { ChatService } from "./provider.ts";

/** Sends to channels and, through a direct message channel, to users. */
export const discord: ChatService = {
  title: "Discord",
  // Discord requires this format.
  userAgent: "DiscordBot (biplane, 0.1)",
  headers: (token) => ({ authorization: `Bot ${token}` }),
  explain: (data) => {
    const { message, code } = recordOrEmpty(data);
    if (typeof message !== "string") return undefined;
    return `${message}${typeof code === "number" && code !== 0 ? ` (${code})` : ""}`;
  },
  idPattern: /^\d{1,20}$/,
  limit: 2000,
  fences: true,
  open: async ({ kind, id }, { rest, mentions, signal }) => {
    const post = async (path: readonly string[], body: unknown): Promise<string> => {
      const { id } = recordOrEmpty((await rest({ method: "POST", path, body, signal })).data);
      if (typeof id === "string") return id;
      throw new BiplaneError("EXECUTION_ERROR", "Discord returned a response without an id.");
    };
    const channel = kind === "channel" ? id : await post(["users", "@me", "channels"], { recipient_id: id });
    return (content) => {
      const message = { content, ...(!mentions && { allowed_mentions: { parse: [] } }) };
      return post(["channels", channel, "messages"], message);
    };
  },
};
