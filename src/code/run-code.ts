import type { LiveCall } from "../call/live-call.ts";
import { surround } from "../call/meter.ts";
import type { Outcome } from "../call/outcome.ts";
import { perform } from "../call/perform.ts";
import { BiplaneError } from "../errors.ts";
import type { Server } from "../server/server.ts";
import { isForModel } from "../tool/app.ts";
import { tool } from "../tool/tool.ts";
import type { Tool } from "../tool/tool.ts";
import { runAction } from "./action.ts";
import type { ActionReport } from "./action.ts";
import { Contexts } from "./contexts.ts";
import { describeCode } from "./describe-code.ts";
import type { CodeEngine, CodeLimits, Language } from "./engine.ts";
import { Journal } from "./journal.ts";
import type { LostAction } from "./journal.ts";
import { defaultCodeLimits } from "./limits.ts";

export interface CodeToolOptions {
  /** The languages an agent may write in; the first is meant where it names none. */
  readonly engines: readonly CodeEngine[];
  /** The tool's name: `run_code`. */
  readonly name?: string;
  /** Whether code is the only way to the tools. Left out: they can be called one by one as well. */
  readonly alone?: boolean;
  readonly limits?: Partial<CodeLimits>;
  /** Whether what code defines stays for the next action of the same episode or session: yes. */
  readonly keepState?: boolean;
}

/** What `run_code` answers. */
export interface CodeAnswer extends ActionReport {
  /** Actions of this caller that ended with an earlier process; told once. */
  readonly lost?: readonly LostAction[];
}

/** A server's door for code. */
export interface CodeDoor extends AsyncDisposable {
  /** The tool as the server has it now. */
  readonly tool: Tool;
  /** Takes the door out of the server, with all contexts. The engines are their owner's to close. */
  close(): Promise<void>;
}

/** Gives a server the tool `run_code`, by which an agent does in one action what else takes many calls. */
export function codeTool(server: Server, options: CodeToolOptions): CodeDoor {
  if (options.engines.length === 0) throw new BiplaneError("INVALID_DEFINITION", "codeTool needs at least one engine");
  return new Door(server, options);
}

class Door implements CodeDoor {
  readonly #server: Server;
  readonly #options: CodeToolOptions;
  readonly #contexts: Contexts;
  readonly #engines: ReadonlyMap<Language, CodeEngine>;
  /** Tools that only code can call. */
  readonly #withheld = new Map<string, Tool>();
  readonly #stopListening: () => void;
  #journal: Journal | undefined;
  #tools: readonly Tool[] = [];
  #tool: Tool;
  #isChanging = false;

  constructor(server: Server, options: CodeToolOptions) {
    this.#server = server;
    this.#options = options;
    this.#engines = new Map(options.engines.map((engine) => [engine.language, engine]));
    this.#contexts = new Contexts({
      tools: () => this.#tools,
      limits: options.limits,
      isKept: options.keepState ?? true,
    });
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

  /** Describes the tools there are now. Contexts that are open keep those they began with. */
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
      timeoutMs: 2 ** 31 - 1, // it has a clock of its own, which stands still while a person thinks
      composite: true,
      run: (input, call) => this.#run(input as { code: string; language?: Language }, call as LiveCall),
    });
  }

  async #run({ code, language }: { code: string; language?: Language }, outer: LiveCall): Promise<CodeAnswer> {
    const engine = language ? this.#engines.get(language) : this.#options.engines[0];
    if (!engine) throw new BiplaneError("INVALID_INPUT", `There is no engine for ${language}`);
    const journal = await this.#openJournal();
    const lost = (await journal?.lost(outer.principal)) ?? [];
    const { wallMs } = { ...defaultCodeLimits, ...this.#options.limits };
    const report = await this.#contexts.lend(outer, engine, (context) => {
      return runAction(context, code, {
        outer,
        wallMs,
        perform: (call) => this.#perform(call),
        report: (fault) => this.#server.report(fault, "making code a task"),
        entry: journal?.begin(engine.language, code, outer),
      });
    });
    return lost.length > 0 ? { ...report, lost } : report;
  }

  /** A journal in memory would tell nobody anything. */
  async #openJournal(): Promise<Journal | undefined> {
    if (!this.#server.hasStore) return undefined;
    const store = await this.#server.store();
    return (this.#journal ??= new Journal(store, (fault) => this.#server.report(fault, "the journal of code")));
  }

  /** The path of the server, which for tools that only code can call looks in one more place. */
  #perform(call: LiveCall): Outcome | Promise<Outcome> {
    const withheld = this.#withheld.get(call.tool);
    if (!withheld) return this.#server.perform(call);
    const body = withTool(this.#server, withheld);
    return body.meters.length > 0 ? surround(call, body, () => perform(call, body)) : perform(call, body);
  }
}

/** The server as the path sees it, with one more tool. */
function withTool(server: Server, extra: Tool): Server {
  return new Proxy(server, {
    get: (target, key) => {
      if (key === "find") return (name: string) => (name === extra.name ? extra : target.find(name));
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
