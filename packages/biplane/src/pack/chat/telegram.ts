import { BiplaneError } from "@biplane/core";
import { recordOrEmpty } from "../shared/net/rest-client.ts";
import type { RestClient } from "../shared/net/rest-client.ts";
import type { ChatProvider } from "./provider.ts";

/** Sends plain text to chats. URLs contain the token, so they must never appear in messages. */
export function telegram(rest: RestClient, options: { token: string; targets: readonly string[] }): ChatProvider {
  const { token, targets } = options;
  return {
    name: "telegram",
    idPattern: /^(-?\d{1,20}|@[A-Za-z]\w{4,31})$/,
    targets,
    limit: 4096,
    fences: false,
    open: async ({ id }, signal) => {
      const chat = /^-?\d{1,15}$/.test(id) ? Number(id) : id;
      return async (text) => {
        const path = [`bot${token}`, "sendMessage"];
        const answer = recordOrEmpty(
          (await rest({ method: "POST", path, body: { chat_id: chat, text }, signal })).data,
        );
        const { message_id: sent } = recordOrEmpty(answer["result"]);
        if (answer["ok"] === true && typeof sent === "number") return String(sent);
        throw new BiplaneError(
          "EXECUTION_ERROR",
          `Telegram rejected the request: ${explainTelegram(answer) ?? "no reason given"}.`,
        );
      };
    },
  };
}

export function explainTelegram(data: unknown): string | undefined {
  const { description } = recordOrEmpty(data);
  return typeof description === "string" ? description : undefined;
}
