import { BiplaneError } from "@biplane/core";
import { messageOf } from "@biplane/core/internal";
import type { NetworkOverrides } from "../shared/net/network-guard.ts";
import { readOptions } from "../shared/options.ts";
import { discord } from "./discord.ts";
import { local } from "./local.ts";
import type { LocalMessage } from "./local.ts";
import { chatOptions, defaultBaseUrls } from "./options.ts";
import type { ChatOptions, ChatSettings } from "./options.ts";
import { createRestClient } from "../shared/net/rest-client.ts";
import type { ChatProvider, ChatService } from "./provider.ts";
import { slack } from "./slack.ts";
import { splitMessage } from "./split-message.ts";
import { isListed, parseChatTarget } from "./target.ts";
import { telegram } from "./telegram.ts";

export interface MessageToSend {
  readonly provider: string;
  readonly target: string;
  readonly message: string;
}

/** Sends messages through the services that an operator has activated, to the targets that the operator lists. */
export interface ChatSender {
  readonly options: ChatSettings;
  readonly providers: ReadonlyMap<string, ChatProvider>;
  /** The messages of the local provider. */
  readonly sent: readonly LocalMessage[];
  /** Returns the ids of the sent parts. */
  send(message: MessageToSend, signal: AbortSignal): Promise<readonly string[]>;
}

export function openChatSender(given: ChatOptions, overrides: NetworkOverrides = {}): ChatSender {
  const options = readOptions(given, { pack: "chatPack", schema: chatOptions });
  const sent: LocalMessage[] = [];
  const providers = new Map(providersOf(options, { overrides, sent }).map((provider) => [provider.name, provider]));
  return {
    options,
    providers,
    sent,
    send: async ({ provider: name, target, message }, signal) => {
      const provider = providers.get(name);
      if (!provider) throw notActive(name, [...providers.keys()]);
      return send(provider, { target, message }, signal);
    },
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

const services: Readonly<Record<(typeof serviceNames)[number], ChatService>> = { discord, slack, telegram };
export const serviceNames = ["discord", "slack", "telegram"] as const;

function providersOf(
  options: ChatSettings,
  { overrides, sent }: { overrides: NetworkOverrides; sent: LocalMessage[] },
): readonly ChatProvider[] {
  const { mentions } = options;
  const remote = serviceNames.flatMap((name): ChatProvider[] => {
    const settings = options[name];
    if (!settings) return [];
    const { token, targets } = settings;
    const { title, userAgent, headers, explain, open, ...rules } = services[name];
    const rest = createRestClient({
      name: title,
      baseUrl: settings.baseUrl,
      publicUrl: defaultBaseUrls[name],
      userAgent,
      network: overrides,
      headers: headers?.(token),
      explain,
      secrets: [token],
    });
    return [{ ...rules, name, targets, open: (target, signal) => open(target, { rest, token, mentions, signal }) }];
  });
  if (!options.local) return remote;
  const { targets, file } = options.local;
  return [...remote, local({ targets, file, sent, now: overrides.now ?? Date.now })];
}

function notActive(name: string, available: readonly string[]): BiplaneError {
  return new BiplaneError(
    "INVALID_INPUT",
    `provider ${JSON.stringify(name)} is not active (available: ${available.join(", ") || "none"})`,
  );
}
