import { BiplaneError } from "../../errors.ts";
import { record } from "../net/rest.ts";
import type { Rest } from "../net/rest.ts";
import type { Provider } from "./provider.ts";

export const slackHeaders = (token: string) => ({ authorization: `Bearer ${token}` });

/** Writes to channels and, by a conversation that is opened first, to users. */
export function slack(rest: Rest, options: { targets: readonly string[]; mentions: boolean }): Provider {
  const { targets, mentions } = options;
  /** Slack says 200 to everything; whether it was done is inside. */
  const post = async (
    method: string,
    body: unknown,
    signal: AbortSignal,
  ): Promise<Readonly<Record<string, unknown>>> => {
    const answer = record((await rest({ method: "POST", path: [method], body, signal })).data);
    if (answer["ok"] === true) return answer;
    const error = typeof answer["error"] === "string" ? answer["error"].slice(0, 100) : "no reason given";
    throw new BiplaneError("EXECUTION_ERROR", `Slack refused: ${error}`);
  };
  return {
    name: "slack",
    idPattern: /^[A-Z0-9]{2,30}$/,
    targets,
    limit: 4000,
    fences: true,
    open: async ({ kind, id }, signal) => {
      const channel = kind === "channel" ? id : await post("conversations.open", { users: id }, signal).then(channelOf);
      return async (message) => {
        const text = mentions ? message : escaped(message);
        const { ts } = await post("chat.postMessage", { channel, text, parse: "none", link_names: false }, signal);
        return typeof ts === "string" ? ts : "";
      };
    },
  };
}

function channelOf(answer: Readonly<Record<string, unknown>>): string {
  const { id } = record(answer["channel"]);
  if (typeof id !== "string") throw new BiplaneError("EXECUTION_ERROR", "Slack opened no conversation");
  return id;
}

/** Mentions, and all else that Slack takes for a command, are written in angle brackets. */
function escaped(message: string): string {
  return message.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
