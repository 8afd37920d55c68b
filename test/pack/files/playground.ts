import { serverOf } from "@biplane/core/internal";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { server } from "biplane";
import type { Content, Server } from "biplane";
import { LiveCall } from "../../../packages/core/src/call/live-call.ts";
import type { Approver } from "../../../packages/core/src/call/approve.ts";
import type { Pack } from "../../../packages/core/src/server/pack.ts";

/** A real folder that is gone after the test. */
export class Playground implements AsyncDisposable {
  readonly path = realpathSync(mkdtempSync(join(tmpdir(), "biplane-pack-")));
  readonly #servers: Server[] = [];

  at(...names: string[]): string {
    return join(this.path, ...names);
  }

  write(name: string, content: string | Uint8Array = ""): string {
    mkdirSync(dirname(this.at(name)), { recursive: true });
    writeFileSync(this.at(name), content);
    return this.at(name);
  }

  read(name: string): string {
    return readFileSync(this.at(name), "utf8");
  }

  folder(name: string): string {
    mkdirSync(this.at(name), { recursive: true });
    return this.at(name);
  }

  /** Every file below a folder. */
  files(name: string): string[] {
    const entries = readdirSync(this.at(name), { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => !entry.isDirectory())
      .map((entry) => entry.name)
      .sort();
  }

  /** A server with the pack, and a person who says yes unless told otherwise. */
  serve(pack: Pack, approver: Approver = { approve: async () => ({ by: "ada", waited: false }) }): Server {
    const served = server({ name: "s", version: "1", packs: [pack], approver });
    this.#servers.push(served);
    return served;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const served of this.#servers) await served.close();
    rmSync(this.path, { recursive: true, force: true });
  }
}

/** What people see of an answer. */
export async function contentOf(served: Server, tool: string, input: unknown): Promise<readonly Content[]> {
  const call = new LiveCall({
    tool,
    input,
    route: "direct",
    principal: { kind: "local", id: "local", scopes: [] },
    agent: { agentId: "a", model: undefined, requestId: "r", metadata: {} },
  });
  const outcome = await serverOf(served).perform(call);
  if (outcome.status === "failed") throw outcome.error;
  return outcome.status === "done" ? outcome.content : [];
}

/** The text of an answer. */
export async function textOf(served: Server, tool: string, input: unknown): Promise<string> {
  const content = await contentOf(served, tool, input);
  return content.map((part) => (part.type === "text" ? part.text : `(${part.type})`)).join("\n");
}

/** What a call failed with. */
export async function faultOf(
  served: Server,
  tool: string,
  input: unknown,
): Promise<{ code: string; message: string }> {
  try {
    await served.call(tool, input);
  } catch (error) {
    return error as { code: string; message: string };
  }
  throw new Error(`${tool} did not fail`);
}
