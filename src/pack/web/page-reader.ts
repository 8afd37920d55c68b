import type { Worker } from "node:worker_threads";
import { BiplaneError } from "../../errors.ts";
import type { ReadablePage } from "./html-to-markdown.ts";
import { startHtmlWorker } from "./start-html-worker.ts";

/** What the worker says: that it has started, a page, or why there is none. */
type Report = "ready" | { readonly page: ReadablePage } | { readonly fault: string; readonly isOver?: true };

/** Reads pages in a thread of its own, one at a time. A page that takes too long ends the thread, not the server. */
export class PageReader implements AsyncDisposable {
  readonly #timeoutMs: number;
  #turn: Promise<unknown> = Promise.resolve();
  #worker: Worker | undefined;
  #isClosed = false;

  constructor(options: { timeoutMs?: number } = {}) {
    this.#timeoutMs = options.timeoutMs ?? 5000;
  }

  read(html: string, url: string): Promise<ReadablePage> {
    const page = this.#turn.then(() => this.#readNow(html, url));
    this.#turn = page.catch(() => undefined);
    return page;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    await this.#worker?.terminate();
  }

  async #readNow(html: string, url: string): Promise<ReadablePage> {
    if (this.#isClosed) throw new BiplaneError("CANCELLED", "the server is closing");
    const isNew = this.#worker === undefined;
    const worker = (this.#worker ??= startHtmlWorker());
    worker.ref();
    let report = isNew ? await reportOf(worker, startTimeoutMs) : ("ready" as const);
    if (report === "ready") {
      const answer = reportOf(worker, this.#timeoutMs);
      worker.postMessage({ html, url }, []);
      report = await answer;
    }
    worker.unref();
    if (typeof report === "object" && "page" in report) return report.page;
    const { fault, isOver } = typeof report === "object" ? report : { fault: "its reader is confused", isOver: true };
    if (isOver) {
      this.#worker = undefined;
      await worker.terminate();
    }
    throw new BiplaneError("EXECUTION_ERROR", `the page cannot be made readable: ${fault}`);
  }
}

const startTimeoutMs = 30_000;

function reportOf(worker: Worker, timeoutMs: number): Promise<Report> {
  return new Promise((resolve) => {
    const finish = (report: Report) => {
      clearTimeout(timer);
      worker.off("message", finish).off("error", broken).off("exit", ended);
      resolve(report);
    };
    const end = (fault: string) => finish({ fault, isOver: true });
    const broken = (error: Error & { code?: string }) =>
      end(error.code === "ERR_WORKER_OUT_OF_MEMORY" ? "it is too large" : `its reader failed (${error.message})`);
    const ended = () => end("its reader ended");
    const timer = setTimeout(() => end(`it takes longer than ${timeoutMs / 1000} s`), timeoutMs);
    worker.on("message", finish).on("error", broken).on("exit", ended);
  });
}
