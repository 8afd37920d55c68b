import { setTimeout as sleep } from "node:timers/promises";
import { BiplaneError } from "@biplane/core";
import { readToolError } from "@biplane/core/client";
import type { Client, RequestOptions, ToolResult } from "@biplane/core/client";
import type { Params } from "@biplane/core/internal";
import { cleanLine } from "../terminal/clean-text.ts";
import { shellArgument } from "../terminal/shell-quote.ts";

export interface AnsweredCall extends RequestOptions {
  readonly name: string;
  readonly input: Params;
  /** How long it may wait for a person. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Calls a tool. If the call waits for approval, says so at once, and waits for the answer until the timeout. */
export async function callUntilAnswered(client: Client, call: AnsweredCall): Promise<ToolResult> {
  const { name, input, ...options } = call;
  const wait = new ApprovalWait(call);
  const signal = AbortSignal.any([call.signal, wait.signal]);
  try {
    for (;;) {
      const result = await client.callTool(name, input, { ...options, signal, onPending: (each) => wait.set(each) });
      const error = readToolError(result);
      if (error?.code !== "APPROVAL_PENDING") return result;
      // This connection has no tasks. The same call finds the answer once there is one.
      wait.set(error);
      await sleep(1000, undefined, { signal });
      wait.set(undefined); // A call that was approved meanwhile may take its time.
    }
  } catch (error) {
    throw call.signal.aborted ? error : (wait.expired ?? error);
  } finally {
    wait.set(undefined);
  }
}

/** What a call waits for, and until when. */
class ApprovalWait {
  readonly #call: AnsweredCall;
  readonly #late = new AbortController();
  #deadline: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #told: string | undefined;

  constructor(call: AnsweredCall) {
    this.#call = call;
  }

  /** Aborts at the timeout. */
  get signal(): AbortSignal {
    return this.#late.signal;
  }

  get expired(): BiplaneError | undefined {
    if (!this.signal.aborted) return undefined;
    const { name, timeoutMs } = this.#call;
    const message = `${name} still waits for approval ${this.#told} after ${timeoutMs / 1000} s. When it is approved, run the same command again. A longer --timeout waits longer.`;
    return new BiplaneError("TIMEOUT", cleanLine(message));
  }

  set(pending: BiplaneError | undefined): void {
    clearTimeout(this.#timer);
    if (!pending) return;
    this.#deadline ??= Date.now() + this.#call.timeoutMs;
    this.#timer = setTimeout(() => this.#late.abort(), this.#deadline - Date.now());
    const id = idOf(pending);
    if (this.#told !== id) this.#tell(id);
    this.#told = id;
  }

  #tell(id: string): void {
    const { name, input } = this.#call;
    const what = `${name} ${JSON.stringify(input)} waits for approval ${id}.`;
    const how = `To approve it, run this where its server runs: npx biplane approvals approve ${shellArgument(id)}`;
    process.stderr.write(`${cleanLine(what)}\n${cleanLine(how)}\n`);
  }
}

function idOf({ details }: BiplaneError): string {
  const { id } = Object(details?.["approval"]) as { id?: unknown };
  return typeof id === "string" ? id : "(unknown)";
}
