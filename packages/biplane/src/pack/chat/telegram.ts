import { BiplaneError } from "@biplane/core";
import { recordOrEmpty } from "../shared/net/rest-client.ts";
import type { ChatService } from "./provider.ts";

/** Sends plain text to chats. URLs contain the token, so they must never appear in messages. */
export const telegram: ChatService = {
  title: "Telegram",
  userAgent: "Biplane/0.1",
  explain,
  idPattern: /^(-?\d{1,20}|@[A-Za-z]\w{4,31})$/,
  limit: 4096,
  fences: false,
  open: async ({ id }, { rest, token, signal }) => {
    const chat = /^-?\d{1,15}$/.test(id) ? Number(id) : id;
    const path = [`bot${token}`, "sendMessage"];
    return async (text) => {
      const answer = recordOrEmpty((await rest({ method: "POST", path, body: { chat_id: chat, text }, signal })).data);
      const { message_id: sent } = recordOrEmpty(answer["result"]);
      if (answer["ok"] === true && typeof sent === "number") return String(sent);
      const why = explain(answer) ?? "no reason given";
      throw new BiplaneError("EXECUTION_ERROR", `Telegram rejected the request: ${why}.`);
    };
  },
};

function explain(data: unknown): string | undefined {
  const { description } = recordOrEmpty(data);
  return typeof description === "string" ? description : undefined;
}
