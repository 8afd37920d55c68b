import type { ChildProcess } from "node:child_process";
import { relative } from "node:path";
import { cleanText } from "../terminal/clean-text.ts";
import type { FoundModule } from "./find-module.ts";
import type { FromDevWorker, ToDevWorker } from "./messages.ts";
import { forkCommand, stopCommand } from "./fork-command.ts";
import { devWorkerVariable } from "./dev-worker.ts";

export interface DevWorkerOptions {
  readonly module: FoundModule;
  readonly url: string;
  /** Holds accounts and sessions, which must survive a reload. */
  readonly store: string;
  /** Called with the module's source files. */
  readonly onSources: (files: readonly string[]) => void;
  /** Called if the module loads but cannot be served at the address, so that editing a file would not help. */
  readonly onListenFailed: (problem: string) => void;
}

/** Runs the worker that serves, and the one that loads the next version. The second takes over once it has loaded. */
export class DevWorkerPool implements AsyncDisposable {
  readonly #options: DevWorkerOptions;
  /** Has the real port once it is known, so that reloads keep it. */
  #url: string;
  #version = 0;
  #wasUp = false;
  #serving: ChildProcess | undefined;
  #loading: ChildProcess | undefined;
  /** Started ahead of time, so that the next reload is faster. */
  #spare: ChildProcess | undefined;
  readonly #stopping = new Set<ChildProcess>();
  #isClosed = false;

  constructor(options: DevWorkerOptions) {
    this.#options = options;
    this.#url = options.url;
  }

  /** Loads the current version of the module. Stops a load in progress, which is outdated. */
  reload(changed: readonly string[]): void {
    if (this.#isClosed) return;
    this.#loading?.kill();
    const { module, store } = this.#options;
    const child = this.#spare?.connected ? this.#spare : this.#fork();
    this.#spare = undefined;
    this.#loading = child;
    const names = this.#wasUp ? changed.map((file) => relative(module.project, file)) : [];
    send(child, { kind: "begin", file: module.file, store, version: ++this.#version, changed: names });
  }

  /** Prints another sign-in link. */
  printLink(): void {
    if (this.#serving) send(this.#serving, { kind: "link" });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    const children = [this.#spare, this.#loading, this.#serving].filter((child) => child !== undefined);
    await Promise.all([...children, ...this.#stopping].map(stopCommand));
  }

  #fork(): ChildProcess {
    const child = forkCommand({ cwd: this.#options.module.project, env: { [devWorkerVariable]: "1" } });
    child.on("message", (message: FromDevWorker) => void this.#onMessage(child, message));
    child.once("exit", (code) => this.#onExit(child, code));
    return child;
  }

  async #onMessage(child: ChildProcess, message: FromDevWorker): Promise<void> {
    switch (message.kind) {
      case "loaded": {
        if (this.#loading !== child) return;
        this.#options.onSources(message.sources);
        const before = this.#serving;
        this.#loading = undefined;
        this.#serving = child;
        if (before) await this.#freePort(before);
        return send(child, { kind: "open", url: this.#url });
      }
      case "up":
        this.#url = message.url;
        this.#wasUp = true;
        if (!this.#isClosed) this.#spare ??= this.#fork();
        return;
      case "failed":
        return this.#fail(child, message.problem);
    }
  }

  /** Waits until the worker has closed its port, but not until it has exited. */
  async #freePort(child: ChildProcess): Promise<void> {
    this.#stopping.add(child);
    const portClosed = new Promise<void>((resolve) => {
      child.on("message", ({ kind }: FromDevWorker) => {
        if (kind === "closed") resolve();
      });
    });
    const exited = stopCommand(child).then(() => void this.#stopping.delete(child));
    await Promise.race([portClosed, exited]);
  }

  #fail(child: ChildProcess, problem: string): void {
    if (this.#loading === child) {
      this.#loading = undefined;
      return this.#report(problem);
    }
    if (this.#serving !== child || this.#isClosed) return;
    this.#serving = undefined;
    if (this.#wasUp) this.#report(problem);
    else this.#options.onListenFailed(problem);
  }

  #onExit(child: ChildProcess, code: number | null): void {
    if (code !== 0 && code !== null) this.#fail(child, `The server exited with code ${code}.`);
    if (this.#serving === child) this.#serving = undefined;
    if (this.#loading === child) this.#loading = undefined;
  }

  #report(problem: string): void {
    if (this.#isClosed) return;
    const next = this.#serving
      ? "The previous version is still being served."
      : "It is loaded again when a file changes.";
    process.stderr.write(`\n  ${cleanText(problem).replaceAll("\n", "\n  ")}\n  ${next}\n\n`);
    if (this.#serving) send(this.#serving, { kind: "problem", problem });
  }
}

function send(child: ChildProcess, message: ToDevWorker): void {
  if (child.connected) child.send(message);
}
