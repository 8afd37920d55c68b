import { randomUUID } from "node:crypto";
import { BiplaneError } from "../../errors.ts";
import type { LogLevel, Principal } from "../../tool/call.ts";
import type { Client } from "./client.ts";
import type { Exchange, Line } from "./exchange.ts";
import { isObject } from "../../protocol/rpc.ts";
import type { Params, RpcId } from "../../protocol/rpc.ts";

/** A handshake of the older era and what has been agreed since: one per MCP session, one per pipe. */
export class Session {
  readonly id = randomUUID();
  readonly principal: Principal;
  readonly client: Client;
  /** URIs whose updates the client wants. */
  readonly subscriptions = new Set<string>();
  readonly running = new Map<RpcId, Exchange>();
  logLevel: LogLevel = "info";
  readonly openedAt = Date.now();
  lastUsedAt = this.openedAt;
  /** Ends the session from our side; whoever carries it says how. */
  hangUp: () => void = () => this.close();
  /** Sends what belongs to no request. */
  readonly #deliver: (message: string) => void;
  readonly #waiting = new Map<RpcId, Waiting>();
  readonly #closers: (() => void)[] = [];
  #nextId = 1;

  constructor(client: Client, principal: Principal, deliver: (message: string) => void) {
    this.client = client;
    this.principal = principal;
    this.#deliver = deliver;
  }

  deliver(message: string): void {
    this.#deliver(message);
  }

  /** Asks the client something over `line` and waits for its response. */
  request(method: string, params: Params, line: Line): Promise<unknown> {
    const id = `biplane-${this.#nextId++}`;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(id);
        reject(new BiplaneError("TIMEOUT", `The client did not answer ${method} within ${answerWithinMs} ms`));
      }, answerWithinMs);
      this.#waiting.set(id, { resolve, reject, timer, method });
      line.send(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    });
  }

  /** Takes a response; one that nobody waits for is dropped. */
  respond(id: RpcId, result: unknown, error: unknown): void {
    const waiting = this.#waiting.get(id);
    if (!waiting) return;
    this.#waiting.delete(id);
    clearTimeout(waiting.timer);
    if (error === undefined) waiting.resolve(result);
    else waiting.reject(new BiplaneError("EXECUTION_ERROR", `The client refused ${waiting.method}: ${reason(error)}`));
  }

  /** Calls `listener` when the session ends. */
  onClose(listener: () => void): void {
    this.#closers.push(listener);
  }

  /** Ends all that depends on the client being there. */
  close(): void {
    for (const exchange of this.running.values()) exchange.cancel();
    this.running.clear();
    for (const { reject, timer } of this.#waiting.values()) {
      clearTimeout(timer);
      reject(new BiplaneError("CANCELLED", "The client went away"));
    }
    this.#waiting.clear();
    this.subscriptions.clear();
    for (const closer of this.#closers.splice(0)) closer();
  }
}

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: BiplaneError) => void;
  readonly timer: NodeJS.Timeout;
  readonly method: string;
}

/** People take their time over a form. */
const answerWithinMs = 600_000;

function reason(error: unknown): string {
  return isObject(error) && typeof error["message"] === "string" ? error["message"] : "no reason given";
}
