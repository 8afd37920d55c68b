import type { NetworkOverrides } from "../shared/net/network-guard.ts";
import { createRestClient } from "../shared/net/rest-client.ts";
import type { RestClient, RestOptions } from "../shared/net/rest-client.ts";
import type { RemoteProvider } from "./options.ts";
import type { ChatTarget } from "./target.ts";

/** What the messages of a chat service look like. */
interface MessageRules {
  /** The format of ids. */
  readonly idPattern: RegExp;
  /** Maximum message length in UTF-16 units. */
  readonly limit: number;
  /** True if the service renders code fences. */
  readonly fences: boolean;
}

/** Sends a message and returns its id. */
type SendMessage = (message: string) => Promise<string>;

/** A chat service that an operator has activated. */
export interface ChatProvider extends MessageRules {
  readonly name: string;
  readonly targets: readonly string[];
  /** Resolves a target. */
  open(target: ChatTarget, signal: AbortSignal): Promise<SendMessage>;
}

/** A chat service with a REST API. */
export interface ChatService extends MessageRules, Pick<RestOptions, "explain"> {
  /** Its name in error messages. */
  readonly title: string;
  readonly userAgent: string;
  /** Headers that carry the token. */
  readonly headers?: (token: string) => Readonly<Record<string, string>>;
  readonly open: (target: ChatTarget, connection: ChatConnection) => Promise<SendMessage>;
}

export interface ChatConnection {
  readonly rest: RestClient;
  readonly token: string;
  readonly mentions: boolean;
  readonly signal: AbortSignal;
}

export interface ChatConnectOptions {
  readonly name: string;
  readonly publicUrl: string;
  readonly mentions: boolean;
  readonly network: NetworkOverrides;
}

export function connectChat(
  { title, userAgent, headers, explain, open, ...rules }: ChatService,
  { token, baseUrl, targets }: RemoteProvider,
  { name, publicUrl, mentions, network }: ChatConnectOptions,
): ChatProvider {
  const rest = createRestClient({
    name: title,
    baseUrl,
    publicUrl,
    userAgent,
    network,
    ...(headers && { headers: headers(token) }),
    ...(explain && { explain }),
    secrets: [token],
  });
  return { ...rules, name, targets, open: (target, signal) => open(target, { rest, token, mentions, signal }) };
}
