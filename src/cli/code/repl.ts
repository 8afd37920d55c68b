import { createInterface } from "node:readline";
import type { Interface } from "node:readline";
import { BiplaneError, messageOf } from "../../errors.ts";
import { cleanText } from "../terminal/clean-text.ts";
import { commands, complete } from "./complete.ts";
import type { History } from "./history.ts";
import type { CodeSession } from "./session.ts";
import { shownError, shownResult, shownStanding, shownValue } from "./shown.ts";
import type { Styler } from "./shown.ts";
import { wantsMore } from "./wants-more.ts";

export interface ReplOptions {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
  readonly style: Styler;
  readonly history: History;
}

/** Reads code from a person, runs it and shows what it came to, until the person leaves. */
export function repl(session: CodeSession, options: ReplOptions): Promise<void> {
  return new Repl(session, options).read();
}

class Repl {
  readonly #session: CodeSession;
  readonly #options: ReplOptions;
  readonly #lines: Interface;
  /** What was typed of an action that goes over several lines. */
  #begun = "";
  #running: AbortController | undefined;
  #work: Promise<void> = Promise.resolve();
  #isLeaving = false;

  constructor(session: CodeSession, options: ReplOptions) {
    const { input, output, history } = options;
    this.#session = session;
    this.#options = options;
    this.#lines = createInterface({
      input,
      output,
      terminal: true,
      history: [...history.lines],
      historySize: 1000,
      removeHistoryDuplicates: true,
      completer: (line: string) => complete(line, { names: this.#names(), language: session.language }),
    });
  }

  async read(): Promise<void> {
    let history: readonly string[] = this.#options.history.lines;
    this.#lines.on("history", (lines: string[]) => (history = [...lines]));
    this.#lines.on("SIGINT", () => this.#interrupt());
    // Lines that come while code runs wait their turn.
    this.#lines.on("line", (line) => {
      this.#work = this.#work.then(() => this.#hear(line));
    });
    const closed = new Promise<void>((resolve) => this.#lines.once("close", resolve));
    this.#write(this.#welcome());
    this.#prompt();
    await closed;
    this.#isLeaving = true;
    this.#running?.abort();
    await this.#work;
    await this.#options.history.keep(history);
  }

  async #hear(line: string): Promise<void> {
    if (this.#isLeaving) return;
    try {
      if (this.#begun === "" && line.trimStart().startsWith(":")) await this.#obey(line.trim());
      else await this.#take(line);
    } catch (error) {
      this.#write(`${this.#options.style(cleanText(messageOf(error)), "red")}\n`);
    }
    if (!this.#isLeaving) this.#prompt();
  }

  async #take(line: string): Promise<void> {
    const text = this.#begun === "" ? line : `${this.#begun}\n${line}`;
    if (wantsMore(text, this.#session.language)) {
      this.#begun = text;
      return;
    }
    this.#begun = "";
    if (text.trim() !== "") await this.#run(text);
  }

  async #run(code: string): Promise<void> {
    const { style } = this.#options;
    const controller = new AbortController();
    this.#running = controller;
    try {
      const { answer, standing } = await this.#session.run(code, controller.signal);
      this.#write(shownResult(answer, style) + shownError(answer, style));
      if (!standing) return;
      this.#write(shownStanding(standing, style));
      if (standing.terminated || standing.truncated) this.#tell("The episode is over; :reset begins another.");
    } catch (error) {
      if (!(error instanceof BiplaneError && error.code === "CANCELLED")) throw error;
      if (!this.#isLeaving) this.#tell("Stopped.");
    } finally {
      this.#running = undefined;
    }
  }

  async #obey(line: string): Promise<void> {
    const [command = "", name = ""] = line.split(/\s+/);
    switch (command) {
      case ":tools":
        return this.#write(
          this.#session.tools.map((tool) => `${cleanText(this.#session.signatureOf(tool))}\n`).join(""),
        );
      case ":schema":
        return this.#write(`${this.#schemaOf(name)}\n`);
      case ":reset":
        await this.#session.reset();
        this.#write(this.#beginning());
        return;
      case ":help":
        return this.#write(help);
      case ":quit":
      case ":q":
        this.#isLeaving = true;
        return this.#lines.close();
      default:
        this.#tell(`There is no ${cleanText(command)}; there are ${commands.join(", ")}.`);
    }
  }

  #schemaOf(name: string): string {
    const tool = this.#session.tools.find((each) => each.name === name);
    if (!tool) throw new BiplaneError("INVALID_INPUT", `There is no tool ${JSON.stringify(name)}; :tools shows them`);
    const { description, input, output } = tool;
    const shown = { input: input.json, ...(output && { output: output.json }) };
    return cleanText(`${description ?? name}\n${JSON.stringify(shown, undefined, 2)}`);
  }

  /** Ctrl-C ends what runs, else forgets what was typed; it never ends the REPL. */
  #interrupt(): void {
    if (this.#running) return this.#running.abort();
    const isEmpty = this.#begun === "" && this.#lines.line === "";
    this.#begun = "";
    this.#lines.write(null, { ctrl: true, name: "e" });
    this.#lines.write(null, { ctrl: true, name: "u" });
    this.#write("\n");
    if (isEmpty) this.#tell("Leave with :quit or Ctrl-D.");
    this.#prompt();
  }

  #welcome(): string {
    const { name, language, tools } = this.#session;
    const count = tools.length === 1 ? "1 tool" : `${tools.length} tools`;
    return `${cleanText(name)}: ${count} as functions in ${language}. :help says more.\n${this.#beginning()}`;
  }

  #beginning(): string {
    const { firstObservation } = this.#session;
    return firstObservation === undefined ? "" : `${shownValue(firstObservation)}\n`;
  }

  #prompt(): void {
    this.#lines.setPrompt(this.#begun === "" ? "> " : "… ");
    this.#lines.prompt();
  }

  #names(): string[] {
    return this.#session.tools.map(({ name }) => name);
  }

  #tell(text: string): void {
    this.#write(`${this.#options.style(text, "dim")}\n`);
  }

  #write(text: string): void {
    this.#options.output.write(text);
  }
}

const help = `Write code; the tools are functions. The last expression is shown. Tab completes their names.
  :tools          the tools, as they are called
  :schema name    what a tool takes and gives
  :reset          forget what was defined; in an environment, begin another episode
  :quit           leave, as Ctrl-D does
An open bracket or block goes on in the next line; two empty lines send what is there. Ctrl-C stops what runs.
`;
