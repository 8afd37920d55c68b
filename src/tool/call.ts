import type { AnswerTo, Question } from "./question.ts";

/** One invocation, as the tool's `run` sees it. Headers and raw requests are not here, on purpose. */
export interface Call {
  readonly tool: string;
  readonly agent: AgentContext;
  readonly principal: Principal;
  readonly route: Route;
  /** The seat the call came from, where the wire has one. */
  readonly session: string | undefined;
  /** The episode the call is a step of, in an environment. */
  readonly episode: string | undefined;
  /** Whether the caller can show the page of an app; else the text is all that anybody sees. */
  readonly showsApps: boolean;
  /** Aborted when the call is cancelled or late. */
  readonly signal: AbortSignal;
  /** Tells the caller how far the work is; values that do not grow are dropped. */
  progress(progress: number, options?: { total?: number; message?: string }): void;
  /** Sends the caller a log line, if it wants lines of this level. */
  log(level: LogLevel, data: unknown, logger?: string): void;
  /** Whether the caller can be asked this kind of question. */
  canAsk(kind: Question["kind"]): boolean;
  /**
   * Asks the other side and waits. Needs `interactive: true` on the tool. Where the wire keeps no connection, `run`
   * starts again with the answers given so far, found by `key`: so ask before acting, and keep keys stable.
   */
  ask<Q extends Question>(key: string, question: Q): Promise<AnswerTo<Q>>;
  /** Asks several questions at once. */
  askAll<Q extends Record<string, Question>>(questions: Q): Promise<{ [Key in keyof Q]: AnswerTo<Q[Key]> }>;
  /** For an interactive tool with `task`: from here on the caller holds a task, where it can. Others start as one. */
  detach(): Promise<void>;
}

/** What the caller says of itself. Never trusted: access rests on the principal. */
export interface AgentContext {
  readonly agentId: string;
  readonly model: string | undefined;
  readonly requestId: string;
  readonly metadata: Readonly<Record<string, string>>;
}

/** Who the caller is proven to be. */
export interface Principal {
  readonly kind: "local" | "token" | "trainer" | "person" | "anonymous";
  /** A token's subject, the local user, a person's name, or the address of an anonymous caller. */
  readonly id: string;
  readonly scopes: readonly string[];
  /** Milliseconds since 1970: from then on the proof no longer holds, also for a connection that is still open. */
  readonly expiresAt?: number;
}

/** The door a call came in by. */
export type Route = "mcp" | "execute" | "step" | "code" | "script" | "app" | "schedule" | "direct" | "people";

export type LogLevel = (typeof logLevels)[number];
export const logLevels = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"] as const;
