import { BiplaneError } from "../../errors.ts";
import { record } from "../net/rest.ts";
import type { Rest } from "../net/rest.ts";
import type { Provider } from "./provider.ts";

export const discordHeaders = (token: string) => ({ authorization: `Bot ${token}` });

/** Writes to channels and, by a direct message channel that is opened first, to users. */
export function discord(rest: Rest, options: { targets: readonly string[]; mentions: boolean }): Provider {
  const { targets, mentions } = options;
  const post = async (path: readonly string[], body: unknown, signal: AbortSignal): Promise<string> => {
    const { id } = record((await rest({ method: "POST", path, body, signal })).data);
    if (typeof id !== "string")
      throw new BiplaneError("EXECUTION_ERROR", "Discord answered with something that has no id");
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

/** Discord names the fault, and where in the message it is. */
export function explainDiscord(data: unknown): string | undefined {
  const { message, code } = record(data);
  return typeof message === "string"
    ? `${message}${typeof code === "number" && code !== 0 ? ` (${code})` : ""}`
    : undefined;
}
