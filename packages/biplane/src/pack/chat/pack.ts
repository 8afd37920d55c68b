import { BiplaneError } from "@biplane/core";
import { messageOf } from "@biplane/core/internal";
import type { Pack } from "@biplane/core";
import { object, text } from "../../schema/builders.ts";
import type { NetworkOverrides } from "../shared/net/network-guard.ts";
import { optionsReader } from "../shared/options.ts";
import { packTool, textReply } from "../shared/pack-tool.ts";
import { discord } from "./discord.ts";
import { local } from "./local.ts";
import type { LocalMessage } from "./local.ts";
import { chatOptions, defaultBaseUrls } from "./options.ts";
import type { ChatOptions, ChatSettings } from "./options.ts";
import { connectChat } from "./provider.ts";
import type { ChatProvider } from "./provider.ts";
import { slack } from "./slack.ts";
import { splitMessage } from "./split-message.ts";
import { isListed, parseChatTarget } from "./target.ts";
import { telegram } from "./telegram.ts";

const readOptions = optionsReader("chatPack", chatOptions);

/** A chat pack with the messages of its local provider. */
export interface ChatPack extends Pack {
  readonly sent: readonly LocalMessage[];
}

/** The tool `chat_send`, which sends messages to configured people and channels. */
export function chatPack(given: ChatOptions, overrides: NetworkOverrides = {}): ChatPack {
  const options = readOptions(given);
  const sent: LocalMessage[] = [];
  const providers = new Map(providersOf(options, { overrides, sent }).map((provider) => [provider.name, provider]));
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
          const provider = providers.get(name);
          if (!provider) throw notActive(name, [...providers.keys()]);
          const ids = await send(provider, { target, message }, signal);
          const inParts = ids.length > 1 ? ` in ${ids.length} parts` : "";
          const structured = { provider: name, target, parts: ids.length, ids };
          return textReply(`Message sent via ${name} to ${target}${inParts}`, structured);
        },
      }),
    ],
  };
}

async function send(
  provider: ChatProvider,
  { target: given, message }: { target: string; message: string },
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { name, idPattern, targets, limit, fences } = provider;
  const target = parseChatTarget(given, { provider: name, idPattern });
  if (!isListed(target, targets)) {
    throw new BiplaneError(
      "POLICY_DENIED",
      `${given} is not an allowed target of ${name}. An operator can add it to targets.`,
    );
  }
  const parts = splitMessage(message, { limit, fences });
  if (parts.length > maxParts) {
    throw new BiplaneError(
      "INVALID_INPUT",
      `The message needs ${parts.length} ${name} messages, more than the limit of ${maxParts}. Shorten it.`,
    );
  }
  const ids: string[] = [];
  try {
    const sendPart = await provider.open(target, signal);
    for (const part of parts) ids.push(await sendPart(part));
    return ids;
  } catch (error) {
    const failure = ids.length === 0 ? "failed to send message" : `sent only ${ids.length} of ${parts.length} parts`;
    throw new BiplaneError("EXECUTION_ERROR", `${failure}: ${messageOf(error)}`, {
      details: { ...(error instanceof BiplaneError && error.details), sent: ids.length, parts: parts.length },
    });
  }
}

const maxParts = 20;

const services = { discord, slack, telegram } as const;
const secretNames = { discord: "DISCORD_TOKEN", slack: "SLACK_BOT_TOKEN", telegram: "TELEGRAM_BOT_TOKEN" } as const;
const serviceNames = ["discord", "slack", "telegram"] as const;

function providersOf(
  options: ChatSettings,
  { overrides, sent }: { overrides: NetworkOverrides; sent: LocalMessage[] },
): readonly ChatProvider[] {
  const { mentions } = options;
  const remote = serviceNames.flatMap((name) => {
    const settings = options[name];
    const connection = { name, publicUrl: defaultBaseUrls[name], mentions, network: overrides };
    return settings ? [connectChat(services[name], settings, connection)] : [];
  });
  if (!options.local) return remote;
  const { targets, file } = options.local;
  return [...remote, local({ targets, file, sent, now: overrides.now ?? Date.now })];
}

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

function notActive(name: string, available: readonly string[]): BiplaneError {
  return new BiplaneError(
    "INVALID_INPUT",
    `provider ${JSON.stringify(name)} is not active (available: ${available.join(", ") || "none"})`,
  );
}
