import { BiplaneError } from "@biplane/core";
import { recordOrEmpty } from "../shared/net/rest-client.ts";
import type { RestClient } from "../shared/net/rest-client.ts";
import type { ChatProvider } from "./provider.ts";

export const slackHeaders = (token: string) => ({ authorization: `Bearer ${token}` });

/** Sends to channels and, through a conversation, to users. */
export function slack(rest: RestClient, options: { targets: readonly string[]; mentions: boolean }): ChatProvider {
  const { targets, mentions } = options;
  /** Slack returns 200 even for errors. The body has the outcome. */
  const post = async (
    method: string,
    body: unknown,
    signal: AbortSignal,
  ): Promise<Readonly<Record<string, unknown>>> => {
    const answer = recordOrEmpty((await rest({ method: "POST", path: [method], body, signal })).data);
    if (answer["ok"] === true) return answer;
    const error = typeof answer["error"] === "string" ? answer["error"].slice(0, 100) : "no reason given";
    throw new BiplaneError("EXECUTION_ERROR", `Slack rejected the request: ${error}.`);
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
  const { id } = recordOrEmpty(answer["channel"]);
  if (typeof id !== "string") throw new BiplaneError("EXECUTION_ERROR", "Slack did not open a conversation.");
  return id;
}

/** Escapes mentions and other Slack commands, which use angle brackets. */
function escaped(message: string): string {
  return message.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
