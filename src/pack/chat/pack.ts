import { BiplaneError, messageOf } from "../../errors.ts";
import type { Pack } from "../../server/pack.ts";
import { reply, text } from "../../tool/content.ts";
import { tool } from "../../tool/tool.ts";
import { createGuard } from "../net/guard.ts";
import type { GuardOptions } from "../net/guard.ts";
import { createRest } from "../net/rest.ts";
import type { Rest } from "../net/rest.ts";
import { parseTarget as parseUrl } from "../net/target.ts";
import { discord, discordHeaders, explainDiscord } from "./discord.ts";
import { local } from "./local.ts";
import type { LocalMessage } from "./local.ts";
import { defaultBaseUrls } from "./options.ts";
import type { ChatOptions, RemoteProvider } from "./options.ts";
import type { Provider } from "./provider.ts";
import { slack, slackHeaders } from "./slack.ts";
import { splitMessage } from "./split-message.ts";
import { isListed, parseTarget } from "./target.ts";
import { explainTelegram, telegram } from "./telegram.ts";

/** What tests put in the place of the world. */
type World = Pick<GuardOptions, "lookup" | "now" | "wait">;

/** A chat pack, with what its local provider was given. */
export interface ChatPack extends Pack {
  readonly sent: readonly LocalMessage[];
}

/** Sends messages to people and channels that were configured: one tool, `chat_send`. */
export function chatPack(options: ChatOptions, world: World = {}): ChatPack {
  const sent: LocalMessage[] = [];
  const providers = new Map(providersOf(options, { world, sent }).map((provider) => [provider.name, provider]));
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
              description: "channel:<id>, user:<id> or a bare id",
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
            parts: { type: "integer", description: "In how many messages it was sent" },
            ids: { type: "array", items: { type: "string" }, description: "What the provider calls them" },
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
  provider: Provider,
  { target: given, message }: { target: string; message: string },
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { name, idPattern, targets, limit, fences } = provider;
  const target = parseTarget(given, { provider: name, idPattern });
  if (!isListed(target, targets)) {
    throw new BiplaneError("POLICY_DENIED", `${given} is not among the targets of ${name} that may be written to`);
  }
  const parts = splitMessage(message, { limit, fences });
  if (parts.length > mostParts) {
    throw new BiplaneError(
      "INVALID_INPUT",
      `the message would take ${parts.length} messages of ${name}; at most ${mostParts} are sent`,
    );
  }
  const ids: string[] = [];
  try {
    const sendPart = await provider.open(target, signal);
    for (const part of parts) ids.push(await sendPart(part));
    return ids;
  } catch (error) {
    const how = ids.length === 0 ? "failed to send message" : `sent only ${ids.length} of ${parts.length} parts`;
    throw new BiplaneError("EXECUTION_ERROR", `${how}: ${messageOf(error)}`, {
      details: { ...(error instanceof BiplaneError && error.details), sent: ids.length, parts: parts.length },
    });
  }
}

const mostParts = 20;

function providersOf(
  options: ChatOptions,
  { world, sent }: { world: World; sent: LocalMessage[] },
): readonly Provider[] {
  const { mentions = false } = options;
  const rest = (
    name: keyof typeof defaultBaseUrls,
    provider: RemoteProvider,
    how: Pick<RestHow, "headers" | "explain">,
  ): Rest => {
    const baseUrl = provider.baseUrl ?? defaultBaseUrls[name];
    const allow = baseUrl === defaultBaseUrls[name] ? [] : [parseUrl(baseUrl).hostname];
    const guard = createGuard({ ...world, allow, userAgent: userAgents[name] });
    return createRest({ ...world, ...how, name: titles[name], baseUrl, guard, secrets: [provider.token] });
  };
  const found: Provider[] = [];
  if (options.discord) {
    const how = { headers: discordHeaders(options.discord.token), explain: explainDiscord };
    found.push(discord(rest("discord", options.discord, how), { targets: options.discord.targets, mentions }));
  }
  if (options.slack) {
    const how = { headers: slackHeaders(options.slack.token) };
    found.push(slack(rest("slack", options.slack, how), { targets: options.slack.targets, mentions }));
  }
  if (options.telegram)
    found.push(telegram(rest("telegram", options.telegram, { explain: explainTelegram }), options.telegram));
  if (options.local) {
    const { targets, file } = options.local;
    found.push(local({ targets, file, sent, now: world.now ?? Date.now }));
  }
  return found;
}

type RestHow = Parameters<typeof createRest>[0];

/** Discord wants to be told in these words what is calling. */
const userAgents = { discord: "DiscordBot (biplane, 0.1)", slack: "Biplane/0.1", telegram: "Biplane/0.1" } as const;
const titles = { discord: "Discord", slack: "Slack", telegram: "Telegram" } as const;

function describe(providers: ReadonlyMap<string, Provider>): string {
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
