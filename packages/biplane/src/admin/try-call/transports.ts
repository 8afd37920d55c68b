import type { CodeEngine } from "../../code/engine.ts";
import type { CallVia } from "./call-vias.ts";
import type { Served } from "@biplane/core";
import { overApp } from "./via-app.ts";
import { overCode } from "./via-code.ts";
import { openMcpEndpoint } from "./via-endpoint.ts";
import type { AdminEndpointClient } from "./via-endpoint.ts";
import { overExecute } from "./via-execute.ts";
import { overMcp } from "./via-mcp.ts";
import { overStep } from "./via-step.ts";
import type { WireExchange, ViaRequest } from "./via.ts";

/** The transports that people call tools through: the real ones, in process, opened on first use. */
export class ViaTransports implements AsyncDisposable {
  readonly #endpoints = new Map<Served, Promise<AdminEndpointClient>>();
  #engine: Promise<CodeEngine> | undefined;

  async call(via: CallVia, request: ViaRequest): Promise<WireExchange> {
    switch (via) {
      case "mcp-2026-07-28":
      case "mcp-2025-11-25":
        return overMcp(await this.#endpoint(request.served), via.slice("mcp-".length), request);
      case "execute":
        return overExecute(request);
      case "step":
        return overStep(request);
      case "code":
        return overCode(await this.#codeEngine(), request);
      case "app":
        return overApp(await this.#endpoint(request.served), request);
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

  #endpoint(served: Served): Promise<AdminEndpointClient> {
    let endpoint = this.#endpoints.get(served);
    if (!endpoint) this.#endpoints.set(served, (endpoint = openMcpEndpoint(served)));
    return endpoint;
  }

  #codeEngine(): Promise<CodeEngine> {
    return (this.#engine ??= import("../../code/javascript/engine.ts").then(({ javascriptEngine }) =>
      javascriptEngine({ workers: 1 }),
    ));
  }
}
