import { chargedTo } from "@biplane/core/internal";
import type { EpisodeResource, LiveCall } from "@biplane/core/internal";
import type { Tool } from "@biplane/core";
import type { CodeContext, CodeEngine, CodeLimits } from "./engine.ts";

export interface ContextsOptions {
  readonly tools: () => readonly Tool[];
  readonly limits: Partial<CodeLimits> | undefined;
  /** Keeps a context for the next action. */
  readonly isKept: boolean;
  readonly now?: () => number;
}

/** Finds the context of an action: one per episode, else one per session, else a temporary one. */
export class Contexts {
  readonly #options: ContextsOptions;
  readonly #now: () => number;
  /** Contexts of sessions, least recently used first. */
  readonly #sessions = new Map<string, SessionContext>();

  constructor(options: ContextsOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  /** Runs `use` with the context of a call. */
  async use<T>(call: LiveCall, engine: CodeEngine, use: (context: CodeContext) => Promise<T>): Promise<T> {
    const { scope, session } = call;
    if (this.#options.isKept && scope) {
      const caller = chargedTo(call.principal);
      const { context } = await scope.resources.get(`code ${engine.language}`, (saved) =>
        this.#kept(engine, caller, saved),
      );
      return use(context);
    }
    if (this.#options.isKept && session !== undefined) return use(await this.#ofSession(call, session, engine));
    await using context = await this.#open(engine, chargedTo(call.principal));
    return await use(context);
  }

  async close(): Promise<void> {
    const open = [...this.#sessions.values()];
    this.#sessions.clear();
    await Promise.all(open.map(({ context }) => closeOpened(context)));
  }

  #open(engine: CodeEngine, caller: string | undefined, from?: Uint8Array): Promise<CodeContext> {
    const { tools, limits } = this.#options;
    return engine.open({ tools: tools(), caller, ...(limits && { limits }), ...(from && { from }) });
  }

  async #kept(
    engine: CodeEngine,
    caller: string | undefined,
    saved: unknown,
  ): Promise<EpisodeResource & { readonly context: CodeContext }> {
    const from = typeof saved === "string" ? Buffer.from(saved, "base64") : undefined;
    const context = await this.#open(engine, caller, from);
    return {
      context,
      ...(context.snapshot && {
        save: async () => Buffer.from((await context.snapshot?.()) ?? []).toString("base64"),
      }),
      close: () => context.close(),
    };
  }

  #ofSession({ principal }: LiveCall, session: string, engine: CodeEngine): Promise<CodeContext> {
    const key = JSON.stringify([engine.language, principal.kind, principal.id, session]);
    const caller = chargedTo(principal);
    const context = this.#sessions.get(key)?.context ?? this.#open(engine, caller);
    this.#sessions.delete(key);
    this.#sessions.set(key, { context, caller, lastUsed: this.#now() });
    context.catch(() => this.#sessions.delete(key));
    this.#sweep(caller);
    return context;
  }

  /** Sessions have no end event, so idle ones and those above the limits are closed, the oldest first. */
  #sweep(caller: string | undefined): void {
    const oldest = this.#now() - idleMs;
    let own = 0;
    for (const each of this.#sessions.values()) if (each.caller === caller) own++;
    for (const [key, each] of this.#sessions) {
      const isSurplus = caller !== undefined && each.caller === caller && own > maxOwnCodeSessions;
      if (this.#sessions.size <= maxCodeSessions && each.lastUsed > oldest && !isSurplus) continue;
      if (each.caller === caller) own--;
      this.#sessions.delete(key);
      void closeOpened(each.context);
    }
  }
}

interface SessionContext {
  readonly context: Promise<CodeContext>;
  readonly caller: string | undefined;
  readonly lastUsed: number;
}

/** A context that failed to open has already reported its error to the caller. */
async function closeOpened(context: Promise<CodeContext>): Promise<void> {
  const opened = await context.catch(() => undefined);
  await opened?.close();
}

const idleMs = 30 * 60_000;
export const maxCodeSessions = 1000;
/** Sessions of one caller. */
export const maxOwnCodeSessions = 32;
