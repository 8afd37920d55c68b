import type { RestClient, RestOptions } from "../shared/net/rest-client.ts";
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
