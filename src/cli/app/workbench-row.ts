import { fork } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { relative } from "node:path";
import { cleanText } from "../terminal/clean-text.ts";
import type { FoundModule } from "./find-module.ts";
import type { FromWorkbench, ToWorkbench } from "./messages.ts";
import { workbenchMark } from "./workbench.ts";

export interface RowOptions {
  readonly module: FoundModule;
  readonly url: string;
  /** Where what must outlive a workbench is kept. */
  readonly store: string;
  /** Told of the files that the module is made of. */
  readonly onSources: (files: readonly string[]) => void;
  /** The module is good, but the address cannot be had: no change of a file helps. */
  readonly onRefused: (problem: string) => void;
}

/** The workbench that serves, and the one that is to take its place: it does so only when its module is loaded. */
export class WorkbenchRow implements AsyncDisposable {
  readonly #options: RowOptions;
  /** With the real port, once it is known: it stays. */
  #url: string;
  #version = 0;
  #wasUp = false;
  #serving: ChildProcess | undefined;
  #coming: ChildProcess | undefined;
  /** Has loaded everything but the module, so that the next change is seen sooner. */
  #spare: ChildProcess | undefined;
  readonly #leaving = new Set<ChildProcess>();
  #isOver = false;

  constructor(options: RowOptions) {
    this.#options = options;
    this.#url = options.url;
  }

  /** Loads the module as it is now. Whatever was being loaded is old already. */
  begin(changed: readonly string[]): void {
    if (this.#isOver) return;
    this.#coming?.kill();
    const { module, store } = this.#options;
    const child = this.#spare?.connected ? this.#spare : this.#fork();
    this.#spare = undefined;
    this.#coming = child;
    const names = this.#wasUp ? changed.map((file) => relative(module.project, file)) : [];
    tell(child, { kind: "begin", file: module.file, store, version: ++this.#version, changed: names });
  }

  /** Shows another link. */
  link(): void {
    if (this.#serving) tell(this.#serving, { kind: "link" });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    const children = [this.#spare, this.#coming, this.#serving].filter((child) => child !== undefined);
    await Promise.all([...children, ...this.#leaving].map((child) => leave(child).gone));
  }

  #fork(): ChildProcess {
    const child = fork(process.argv[1] ?? "", process.argv.slice(2), {
      cwd: this.#options.module.project,
      env: { ...process.env, [workbenchMark]: "1" },
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
    child.on("message", (message: FromWorkbench) => void this.#hear(child, message));
    child.once("exit", (code) => this.#left(child, code));
    return child;
  }

  async #hear(child: ChildProcess, message: FromWorkbench): Promise<void> {
    switch (message.kind) {
      case "loaded": {
        if (this.#coming !== child) return;
        this.#options.onSources(message.sources);
        const before = this.#serving;
        this.#coming = undefined;
        this.#serving = child;
        if (before) await this.#makeWay(before);
        return tell(child, { kind: "open", url: this.#url });
      }
      case "up":
        this.#url = message.url;
        this.#wasUp = true;
        if (!this.#isOver) this.#spare ??= this.#fork();
        return;
      case "failed":
        return this.#fail(child, message.problem);
    }
  }

  /** Waits for the address only: what else is to be closed takes longer. */
  async #makeWay(child: ChildProcess): Promise<void> {
    this.#leaving.add(child);
    const { closed, gone } = leave(child);
    void gone.then(() => this.#leaving.delete(child));
    await closed;
  }

  #fail(child: ChildProcess, problem: string): void {
    if (this.#coming === child) {
      this.#coming = undefined;
      return this.#report(problem);
    }
    if (this.#serving !== child || this.#isOver) return;
    this.#serving = undefined;
    if (this.#wasUp) this.#report(problem);
    else this.#options.onRefused(problem);
  }

  #left(child: ChildProcess, code: number | null): void {
    if (code !== 0 && code !== null) this.#fail(child, `The server ended by itself, with ${code}.`);
    if (this.#serving === child) this.#serving = undefined;
    if (this.#coming === child) this.#coming = undefined;
  }

  #report(problem: string): void {
    if (this.#isOver) return;
    const rest = this.#serving ? "The last good version stays." : "It is loaded again when a file changes.";
    process.stderr.write(`\n  ${cleanText(problem).replaceAll("\n", "\n  ")}\n  ${rest}\n\n`);
    if (this.#serving) tell(this.#serving, { kind: "problem", problem });
  }
}

function tell(child: ChildProcess, message: ToWorkbench): void {
  if (child.connected) child.send(message);
}

/** Lets running calls finish, but not for long. */
function leave(child: ChildProcess): { readonly closed: Promise<unknown>; readonly gone: Promise<unknown> } {
  if (child.exitCode !== null || child.signalCode !== null)
    return { closed: Promise.resolve(), gone: Promise.resolve() };
  const timer = setTimeout(() => child.kill("SIGKILL"), 3000);
  const gone = once(child, "exit").then(() => clearTimeout(timer));
  const said = new Promise<void>((resolve) => {
    child.on("message", ({ kind }: FromWorkbench) => {
      if (kind === "closed") resolve();
    });
  });
  child.kill("SIGTERM");
  return { closed: Promise.race([said, gone]), gone };
}
