import { BiplaneError } from "@biplane/core";
import { recordOrEmpty } from "../shared/net/rest-client.ts";
import type { ChatService } from "./provider.ts";

/** Sends to channels and, through a conversation, to users. */
export const slack: ChatService = {
  title: "Slack",
  userAgent: "Biplane/0.1",
  headers: (token) => ({ authorization: `Bearer ${token}` }),
  idPattern: /^[A-Z0-9]{2,30}$/,
  limit: 4000,
  fences: true,
  open: async ({ kind, id }, { rest, mentions, signal }) => {
    /** Slack returns 200 even for errors. The body has the outcome. */
    const post = async (method: string, body: unknown) => {
      const answer = recordOrEmpty((await rest({ method: "POST", path: [method], body, signal })).data);
      if (answer["ok"] === true) return answer;
      const { error } = answer;
      const why = typeof error === "string" && error.length <= 100 ? error : "no reason given";
      throw new BiplaneError("EXECUTION_ERROR", `Slack rejected the request: ${why}.`);
    };
    const channel = kind === "channel" ? id : channelOf(await post("conversations.open", { users: id }));
    return async (message) => {
      const text = mentions ? message : escaped(message);
      const { ts } = await post("chat.postMessage", { channel, text, parse: "none", link_names: false });
      return typeof ts === "string" ? ts : "";
    };
  },
};

function channelOf(answer: Readonly<Record<string, unknown>>): string {
  const { id } = recordOrEmpty(answer["channel"]);
  if (typeof id !== "string") throw new BiplaneError("EXECUTION_ERROR", "Slack did not open a conversation.");
  return id;
}

/** Escapes mentions and other Slack commands, which use angle brackets. */
function escaped(message: string): string {
  return message.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
