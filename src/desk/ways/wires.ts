import type { CodeEngine } from "../../code/engine.ts";
import type { CallWay } from "../contract.ts";
import type { Served } from "../served.ts";
import { overApp } from "./app.ts";
import { overCode } from "./code.ts";
import { openEndpoint } from "./endpoint.ts";
import type { Endpoint } from "./endpoint.ts";
import { overExecute } from "./execute.ts";
import { overMcp } from "./mcp.ts";
import { overStep } from "./step.ts";
import type { Spoken, WayOrder } from "./way.ts";

/** The wires by which people call tools: the real ones, in this process, made when they are first wanted. */
export class Wires implements AsyncDisposable {
  readonly #endpoints = new Map<Served, Promise<Endpoint>>();
  #engine: Promise<CodeEngine> | undefined;

  async speak(way: CallWay, order: WayOrder): Promise<Spoken> {
    switch (way) {
      case "mcp-2026-07-28":
      case "mcp-2025-11-25":
        return overMcp(await this.#endpoint(order.served), way.slice("mcp-".length), order);
      case "execute":
        return overExecute(order);
      case "step":
        return overStep(order);
      case "code":
        return overCode(await this.#codeEngine(), order);
      case "app":
        return overApp(await this.#endpoint(order.served), order);
    }
  }

  async close(): Promise<void> {
    const endpoints = [...this.#endpoints.values()];
    this.#endpoints.clear();
    for (const endpoint of endpoints) (await endpoint).close();
    await (await this.#engine)?.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #endpoint(served: Served): Promise<Endpoint> {
    let endpoint = this.#endpoints.get(served);
    if (!endpoint) this.#endpoints.set(served, (endpoint = openEndpoint(served)));
    return endpoint;
  }

  #codeEngine(): Promise<CodeEngine> {
    return (this.#engine ??= import("../../code/javascript/engine.ts").then(({ javascriptEngine }) =>
      javascriptEngine({ workers: 1 }),
    ));
  }
}
