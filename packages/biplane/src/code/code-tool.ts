import type { LiveCall, Shares } from "@biplane/core/internal";
import { chargedTo, isForModel, serverOf } from "@biplane/core/internal";
import { BiplaneError, tool } from "@biplane/core";
import type { Served, Tool } from "@biplane/core";
import type { ServerCore } from "@biplane/core/internal";
import { runAction } from "./action.ts";
import type { ActionReport } from "./action.ts";
import { codeActions } from "./code-shares.ts";
import { Contexts } from "./contexts.ts";
import { describeCode } from "./describe-code.ts";
import type { CodeEngine, CodeLimits, Language } from "./engine.ts";
import { Journal } from "./journal.ts";
import type { LostAction } from "./journal.ts";
import { defaultCodeLimits } from "./limits.ts";

export interface CodeToolOptions {
  /** The languages an agent can use. The first is the default. */
  readonly engines: readonly CodeEngine[];
  /** (default: `run_code`) */
  readonly name?: string;
  /** If true, the tools can only be called from code (default: false). */
  readonly alone?: boolean;
  readonly limits?: Partial<CodeLimits>;
  /** Counts the actions that run or wait (default: one count for all servers of the process). */
  readonly actions?: Shares;
  /** Keeps variables for the next action of the same episode or session (default: true). */
  readonly keepState?: boolean;
}

/** The result of `run_code`. */
export interface CodeAnswer extends ActionReport {
  /** Actions of this caller that a process crash or restart ended. Reported once. */
  readonly lost?: readonly LostAction[];
}

/** The `run_code` tool of one server. */
export interface CodeToolHost extends AsyncDisposable {
  /** The current definition. It changes when the server's tools change. */
  readonly tool: Tool;
  /** Removes the tool and closes its contexts. You close the engines. */
  close(): Promise<void>;
}

/** Adds the tool `run_code` to a server. With it, an agent makes many tool calls in one action. */
export function codeTool(served: Served, options: CodeToolOptions): CodeToolHost {
  if (options.engines.length === 0) throw new BiplaneError("INVALID_DEFINITION", "codeTool needs at least one engine.");
  return new ServerCodeTool(serverOf(served), options);
}

class ServerCodeTool implements CodeToolHost {
  readonly #server: ServerCore;
  readonly #options: CodeToolOptions;
  readonly #contexts: Contexts;
  readonly #engines: ReadonlyMap<Language, CodeEngine>;
  /** Tools that only code can call (option `alone`). */
  readonly #withheld = new Map<string, Tool>();
  readonly #stopListening: () => void;
  #journal: Journal | undefined;
  #tools: readonly Tool[] = [];
  #tool: Tool;
  #isChanging = false;

  constructor(server: ServerCore, options: CodeToolOptions) {
    this.#server = server;
    this.#options = options;
    this.#engines = new Map(options.engines.map((engine) => [engine.language, engine]));
    this.#contexts = new Contexts({
      tools: () => this.#tools,
      limits: options.limits,
      isKept: options.keepState ?? true,
    });
    server.keepsSessionState ||= options.keepState ?? true;
    this.#tool = this.#describe();
    this.#refresh();
    this.#stopListening = server.onChange((change) => {
      if (change === "tools" && !this.#isChanging) this.#refresh();
    });
    server.whenClosed(() => this.#contexts.close());
  }

  get tool(): Tool {
    return this.#tool;
  }

  async close(): Promise<void> {
    this.#stopListening();
    this.#server.remove(this.#tool);
    for (const withheld of this.#withheld.values()) this.#server.add(withheld);
    this.#withheld.clear();
    await this.#contexts.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** Rebuilds the description from the current tools. Open contexts keep the tools they started with. */
  #refresh(): void {
    this.#isChanging = true;
    try {
      const listed = [...this.#server.tools].filter(
        (each) => !each.composite && each.task !== "required" && isForModel(each),
      );
      if (this.#options.alone) {
        for (const each of listed) {
          this.#withheld.set(each.name, each);
          this.#server.remove(each);
        }
      }
      this.#tools = this.#options.alone ? [...this.#withheld.values()] : listed;
      this.#server.remove(this.#tool);
      this.#tool = this.#describe();
      this.#server.add(this.#tool);
    } finally {
      this.#isChanging = false;
    }
  }

  #describe(): Tool {
    const { engines, name = "run_code", keepState: isKept = true } = this.#options;
    const languages = engines.map(({ language }) => language);
    return tool({
      name,
      description: describeCode(engines, this.#tools, { isKept }),
      input: {
        type: "object",
        properties: {
          code: { type: "string", description: "The code to run" },
          ...(languages.length > 1 && { language: { enum: languages, default: languages[0] } }),
        },
        required: ["code"],
      },
      timeoutMs: 2 ** 31 - 1, // the action has its own clock, which pauses while an approval is pending
      composite: true,
      run: (input, call) => this.#run(input as { code: string; language?: Language }, call as LiveCall),
    });
  }

  async #run({ code, language }: { code: string; language?: Language }, outer: LiveCall): Promise<CodeAnswer> {
    const engine = language ? this.#engines.get(language) : this.#options.engines[0];
    if (!engine) throw new BiplaneError("INVALID_INPUT", `There is no engine for ${language}.`);
    const share = (this.#options.actions ?? codeActions).take(chargedTo(outer.principal));
    try {
      return await this.#act(code, engine, outer);
    } finally {
      share.release();
    }
  }

  async #act(code: string, engine: CodeEngine, outer: LiveCall): Promise<CodeAnswer> {
    const journal = await this.#openJournal();
    const lost = (await journal?.lost(outer.principal)) ?? [];
    const { wallMs } = { ...defaultCodeLimits, ...this.#options.limits };
    const report = await this.#contexts.use(outer, engine, (context) => {
      return runAction(context, code, {
        outer,
        wallMs,
        perform: (call) => this.#server.perform(call),
        find: (name) => this.#server.find(name),
        unlisted: (name) => this.#withheld.get(name),
        report: (fault) => this.#server.report(fault, "turning run_code into a task"),
        entry: journal?.begin(engine.language, code, outer),
      });
    });
    return lost.length > 0 ? { ...report, lost } : report;
  }

  /** A journal in memory would be lost with the process, so it needs a store. */
  async #openJournal(): Promise<Journal | undefined> {
    if (!this.#server.hasStore) return undefined;
    const store = await this.#server.store();
    return (this.#journal ??= new Journal(store, this.#server));
  }
}
