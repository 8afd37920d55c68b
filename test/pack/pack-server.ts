import { serverOf } from "@biplane/core/internal";
import { server } from "biplane";
import type { Server } from "biplane";
import { LiveCall } from "../../packages/core/src/call/live-call.ts";
import type { Pack } from "../../packages/core/src/server/pack.ts";

const agent = { agentId: "test", model: undefined, requestId: "1", metadata: {} };
const principal = { kind: "local", id: "test", scopes: [] } as const;

/** A server that holds one pack as a server would: its tools, its rules, and what it must not let out. */
export class PackServer implements AsyncDisposable {
  readonly pack: Pack;
  readonly server: Server;

  constructor(pack: Pack) {
    this.pack = pack;
    const { tools, policies = [], secrets = {} } = pack;
    this.server = server({ name: "packs", version: "1", tools, policies, secrets });
  }

  /** What a program gets. Throws where the call fails. */
  call(tool: string, input: unknown, options: { signal?: AbortSignal } = {}): Promise<unknown> {
    return this.server.call(tool, input, options);
  }

  /** What a person or a model gets to read; of a call that fails, the error. */
  async text(tool: string, input: unknown): Promise<string> {
    const outcome = await serverOf(this.server).perform(new LiveCall({ tool, input, route: "mcp", agent, principal }));
    if (outcome.status === "failed") return `${outcome.error.code}: ${outcome.error.message}`;
    if (outcome.status !== "done") return outcome.status;
    return outcome.content.map((part) => (part.type === "text" ? part.text : part.type)).join("\n");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.pack.close?.();
  }
}
