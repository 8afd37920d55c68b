import { BiplaneError } from "../../errors.ts";
import { record } from "../net/rest.ts";
import type { Rest } from "../net/rest.ts";
import type { Provider } from "./provider.ts";

/** Writes plain text to chats. The token is a part of every address, so none of them is ever shown. */
export function telegram(rest: Rest, options: { token: string; targets: readonly string[] }): Provider {
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
        const answer = record((await rest({ method: "POST", path, body: { chat_id: chat, text }, signal })).data);
        const { message_id: sent } = record(answer["result"]);
        if (answer["ok"] === true && typeof sent === "number") return String(sent);
        throw new BiplaneError("EXECUTION_ERROR", `Telegram refused: ${explainTelegram(answer) ?? "no reason given"}`);
      };
    },
  };
}

export function explainTelegram(data: unknown): string | undefined {
  const { description } = record(data);
  return typeof description === "string" ? description : undefined;
}
