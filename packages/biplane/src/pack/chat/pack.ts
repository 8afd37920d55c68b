import { BiplaneError, reply, text, tool } from "@biplane/core";
import { messageOf } from "@biplane/core/internal";
import type { Pack } from "@biplane/core";
import { createNetworkGuard } from "../shared/net/network-guard.ts";
import type { NetworkGuardOptions } from "../shared/net/network-guard.ts";
import { createRestClient } from "../shared/net/rest-client.ts";
import type { RestClient } from "../shared/net/rest-client.ts";
import { parseRequestUrl as parseUrl } from "../shared/net/request-target.ts";
import { discord, discordHeaders, explainDiscord } from "./discord.ts";
import { local } from "./local.ts";
import type { LocalMessage } from "./local.ts";
import { chatOptions, defaultBaseUrls } from "./options.ts";
import type { ChatOptions, ChatSettings, RemoteProvider } from "./options.ts";
import { optionsReader } from "../shared/options.ts";
import type { ChatProvider } from "./provider.ts";
import { slack, slackHeaders } from "./slack.ts";
import { splitMessage } from "./split-message.ts";
import { isListed, parseChatTarget } from "./target.ts";
import { explainTelegram, telegram } from "./telegram.ts";

const readOptions = optionsReader("chatPack", chatOptions);

/** Replaces the network and the clock in tests. */
type NetworkOverrides = Pick<NetworkGuardOptions, "lookup" | "now" | "wait">;

/** A chat pack with the messages of its local provider. */
export interface ChatPack extends Pack {
  readonly sent: readonly LocalMessage[];
}

/** The tool `chat_send`, which sends messages to configured people and channels. */
export function chatPack(given: ChatOptions, overrides: NetworkOverrides = {}): ChatPack {
  const options = readOptions(given);
  const sent: LocalMessage[] = [];
  const providers = new Map(providersOf(options, { overrides, sent }).map((provider) => [provider.name, provider]));
  const secrets = {
    ...(options.discord && { DISCORD_TOKEN: options.discord.token }),
    ...(options.slack && { SLACK_BOT_TOKEN: options.slack.token }),
    ...(options.telegram && { TELEGRAM_BOT_TOKEN: options.telegram.token }),
  };
  return {
    name: "chat",
    sent,
    secrets,
    tools: [
      tool({
        name: "chat_send",
        title: "Send a chat message",
        description: `Send a message to a person or channel. Active: ${describe(providers)}. Long messages are sent in parts.`,
        input: {
          type: "object",
          required: ["provider", "target", "message"],
          properties: {
            provider: { type: "string", minLength: 1, maxLength: 40, description: "discord, slack, telegram or local" },
            target: {
              type: "string",
              minLength: 1,
              maxLength: 100,
              description: "channel:<id>, user:<id> or an id",
            },
            message: { type: "string", minLength: 1, maxLength: 100_000, pattern: "\\S" },
          },
        },
        output: {
          type: "object",
          required: ["provider", "target", "parts", "ids"],
          properties: {
            provider: { type: "string" },
            target: { type: "string" },
            parts: { type: "integer", description: "Number of messages it was split into" },
            ids: { type: "array", items: { type: "string" }, description: "Message ids of the provider" },
          },
        },
        timeoutMs: 30_000,
        annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: true },
        run: async (input, { signal }) => {
          const given = input as { provider: string; target: string; message: string };
          const provider = providers.get(given.provider);
          if (!provider) throw notActive(given.provider, [...providers.keys()]);
          const ids = await send(provider, given, signal);
          const inParts = ids.length > 1 ? ` in ${ids.length} parts` : "";
          return reply(text(`Message sent via ${provider.name} to ${given.target}${inParts}`), {
            structured: { provider: provider.name, target: given.target, parts: ids.length, ids },
          });
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

function providersOf(
  options: ChatSettings,
  { overrides, sent }: { overrides: NetworkOverrides; sent: LocalMessage[] },
): readonly ChatProvider[] {
  const { mentions } = options;
  const rest = (
    name: keyof typeof defaultBaseUrls,
    provider: RemoteProvider,
    settings: Pick<RestClientSettings, "headers" | "explain">,
  ): RestClient => {
    const { baseUrl } = provider;
    const allow = baseUrl === defaultBaseUrls[name] ? [] : [parseUrl(baseUrl).hostname];
    const guard = createNetworkGuard({ ...overrides, allow, userAgent: userAgents[name] });
    return createRestClient({
      ...overrides,
      ...settings,
      name: titles[name],
      baseUrl,
      guard,
      secrets: [provider.token],
    });
  };
  const found: ChatProvider[] = [];
  if (options.discord) {
    const settings = { headers: discordHeaders(options.discord.token), explain: explainDiscord };
    found.push(discord(rest("discord", options.discord, settings), { targets: options.discord.targets, mentions }));
  }
  if (options.slack) {
    const settings = { headers: slackHeaders(options.slack.token) };
    found.push(slack(rest("slack", options.slack, settings), { targets: options.slack.targets, mentions }));
  }
  if (options.telegram)
    found.push(telegram(rest("telegram", options.telegram, { explain: explainTelegram }), options.telegram));
  if (options.local) {
    const { targets, file } = options.local;
    found.push(local({ targets, file, sent, now: overrides.now ?? Date.now }));
  }
  return found;
}

type RestClientSettings = Parameters<typeof createRestClient>[0];

/** Discord requires this user agent format. */
const userAgents = { discord: "DiscordBot (biplane, 0.1)", slack: "Biplane/0.1", telegram: "Biplane/0.1" } as const;
const titles = { discord: "Discord", slack: "Slack", telegram: "Telegram" } as const;

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
