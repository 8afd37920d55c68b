import type { Belonging } from "../call/belongings.ts";
import type { LiveCall } from "../call/live-call.ts";
import type { Tool } from "../tool/tool.ts";
import type { CodeContext, CodeEngine, CodeLimits } from "./engine.ts";

export interface ContextsOptions {
  readonly tools: () => readonly Tool[];
  readonly limits: Partial<CodeLimits> | undefined;
  /** Whether what code defines is there for the next action. */
  readonly isKept: boolean;
  readonly now?: () => number;
}

/** The context an action belongs to: its episode's, else its session's, else one of its own. */
export class Contexts {
  readonly #options: ContextsOptions;
  readonly #now: () => number;
  /** Those of sessions, the one that was used last at the end. */
  readonly #sessions = new Map<string, { readonly context: Promise<CodeContext>; lastUsed: number }>();

  constructor(options: ContextsOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  /** Lends the context of a call to `use`. */
  async lend<T>(call: LiveCall, engine: CodeEngine, use: (context: CodeContext) => Promise<T>): Promise<T> {
    const { scope, session } = call;
    if (this.#options.isKept && scope) {
      const { context } = await scope.belongings.get(`code ${engine.language}`, (saved) => this.#kept(engine, saved));
      return use(context);
    }
    if (this.#options.isKept && session !== undefined) return use(await this.#ofSession(call, session, engine));
    await using context = await this.#open(engine);
    return await use(context);
  }

  async close(): Promise<void> {
    const open = [...this.#sessions.values()];
    this.#sessions.clear();
    await Promise.all(open.map(({ context }) => closeOpened(context)));
  }

  #open(engine: CodeEngine, from?: Uint8Array): Promise<CodeContext> {
    const { tools, limits } = this.#options;
    return engine.open({ tools: tools(), ...(limits && { limits }), ...(from && { from }) });
  }

  async #kept(engine: CodeEngine, saved: unknown): Promise<Belonging & { readonly context: CodeContext }> {
    const from = typeof saved === "string" ? Buffer.from(saved, "base64") : undefined;
    const context = await this.#open(engine, from);
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
    const known = this.#sessions.get(key);
    const context = known?.context ?? this.#open(engine);
    this.#sessions.delete(key);
    this.#sessions.set(key, { context, lastUsed: this.#now() });
    context.catch(() => this.#sessions.delete(key));
    this.#sweep();
    return context;
  }

  /** Sessions do not say when they end: those that were not used for long, or are too many, are forgotten. */
  #sweep(): void {
    const oldest = this.#now() - idleMs;
    for (const [key, { context, lastUsed }] of this.#sessions) {
      if (this.#sessions.size <= mostSessions && lastUsed > oldest) return;
      this.#sessions.delete(key);
      void closeOpened(context);
    }
  }
}

/** One that could not be opened has told whoever wanted it. */
async function closeOpened(context: Promise<CodeContext>): Promise<void> {
  const opened = await context.catch(() => undefined);
  await opened?.close();
}

const idleMs = 30 * 60_000;
const mostSessions = 1000;
