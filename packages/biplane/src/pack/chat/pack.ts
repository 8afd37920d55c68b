import type { Pack } from "@biplane/core";
import { object, text } from "../../schema/builders.ts";
import type { NetworkOverrides } from "../shared/net/network-guard.ts";
import { packTool, textReply } from "../shared/pack-tool.ts";
import { openChatSender, serviceNames } from "./chat-sender.ts";
import type { LocalMessage } from "./local.ts";
import type { ChatOptions, ChatSettings } from "./options.ts";
import type { ChatProvider } from "./provider.ts";

/** A chat pack with the messages of its local provider. */
export interface ChatPack extends Pack {
  readonly sent: readonly LocalMessage[];
}

/** The tool `chat_send`, which sends messages to configured people and channels. */
export function chatPack(given: ChatOptions, overrides: NetworkOverrides = {}): ChatPack {
  const sender = openChatSender(given, overrides);
  const { options, providers, sent } = sender;
  return {
    name: "chat",
    sent,
    secrets: secretsOf(options),
    tools: [
      packTool({
        name: "chat_send",
        title: "Send a chat message",
        description: `Send a message to a person or channel. Active: ${describe(providers)}. Long messages are sent in parts.`,
        input: object({
          provider: { type: "string", minLength: 1, maxLength: 40, description: "discord, slack, telegram or local" },
          target: { type: "string", minLength: 1, maxLength: 100, description: "channel:<id>, user:<id> or an id" },
          message: { type: "string", minLength: 1, maxLength: 100_000, pattern: "\\S" },
        }),
        output: object({
          provider: text,
          target: text,
          parts: { type: "integer", description: "Number of messages it was split into" },
          ids: { type: "array", items: text, description: "Message ids of the provider" },
        }),
        annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: true },
        run: async ({ provider: name, target, message }, { signal }) => {
          const ids = await sender.send({ provider: name, target, message }, signal);
          const inParts = ids.length > 1 ? ` in ${ids.length} parts` : "";
          const structured = { provider: name, target, parts: ids.length, ids };
          return textReply(`Message sent via ${name} to ${target}${inParts}`, structured);
        },
      }),
    ],
  };
}

const secretNames = { discord: "DISCORD_TOKEN", slack: "SLACK_BOT_TOKEN", telegram: "TELEGRAM_BOT_TOKEN" } as const;

function secretsOf(options: ChatSettings): Record<string, string> {
  return Object.fromEntries(
    serviceNames.flatMap((name) => {
      const { token } = options[name] ?? {};
      return token === undefined ? [] : [[secretNames[name], token]];
    }),
  );
}

function describe(providers: ReadonlyMap<string, ChatProvider>): string {
  const each = [...providers.values()].map(
    ({ name, targets }) => `${name} (${targets.slice(0, 20).join(", ") || "no targets"})`,
  );
  return each.join("; ") || "none";
}
