import type { LogLevel } from "./log-level.ts";
import type { AnswerTo, Question } from "./question.ts";

/** One call, as the tool's `run` sees it. Headers and raw requests are deliberately not included. */
export interface Call {
  readonly tool: string;
  readonly agent: AgentContext;
  readonly principal: Principal;
  readonly route: Route;
  /** The session of the caller, if the protocol has sessions. */
  readonly session: string | undefined;
  /** The episode, in an environment. */
  readonly episode: string | undefined;
  /** Identifies the call: policies find the same object in `context.identity`. */
  readonly identity: object;
  /** Whether the caller can show app pages. If not, only the text is visible. */
  readonly showsApps: boolean;
  /** Aborted when the call is cancelled or times out. */
  readonly signal: AbortSignal;
  /** Reports progress. Values that do not increase are dropped. */
  progress(progress: number, options?: { total?: number; message?: string }): void;
  /** Sends the caller a log message, if it wants this level. */
  log(level: LogLevel, data: unknown, logger?: string): void;
  /**
   * Replaces the server's secrets in a text. Results are redacted anyway, but a part of a secret is not recognized: a
   * tool that returns a part of a text passes the whole, with the part as `range`.
   */
  redact(text: string, range?: TextRange): string;
  /** Whether the caller can be asked this kind of question. */
  canAsk(kind: Question["kind"]): boolean;
  /**
   * Asks the caller and waits. Needs `interactive: true`. On stateless protocols `run` starts again with the answers so
   * far, matched by `key`: so ask before you act, and keep keys stable.
   */
  ask<Q extends Question>(key: string, question: Q): Promise<AnswerTo<Q>>;
  /** Asks several questions at once. */
  askAll<Q extends Record<string, Question>>(questions: Q): Promise<{ [Key in keyof Q]: AnswerTo<Q[Key]> }>;
  /** Turns the call of an interactive `task` tool into a task, if the caller supports it. */
  detach(): Promise<void>;
}

/** Indexes into a text. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

/** What the caller claims about itself. Not verified: base access decisions on the principal. */
export interface AgentContext {
  readonly agentId: string;
  readonly model: string | undefined;
  readonly requestId: string;
  readonly metadata: Readonly<Record<string, string>>;
}

/** What an OAuth token proved about its caller. */
export interface ProvenIdentity {
  /** The authorization server that vouches for the rest. */
  readonly issuer: string;
  /** The person or program that the token is about (`sub`). */
  readonly subject: string | undefined;
  /** The OAuth client that got the token. */
  readonly clientId: string | undefined;
  /** The RFC 7638 thumbprint of the key that the caller proved to have (DPoP). */
  readonly keyThumbprint: string | undefined;
}

/** The authenticated caller. */
export interface Principal {
  readonly kind: "local" | "token" | "trainer" | "person" | "anonymous";
  /** A token's subject, the local user, a person's name, or the address of an anonymous caller. */
  readonly id: string;
  readonly scopes: readonly string[];
  /** Milliseconds since 1970. After that, calls fail even on an open connection. */
  readonly expiresAt?: number;
  /** Set if the caller has an OAuth token. */
  readonly identity?: ProvenIdentity;
}

/** How a call arrived. */
export type Route = (typeof routes)[number];
export const routes = ["mcp", "execute", "step", "code", "script", "app", "schedule", "direct", "people"] as const;
