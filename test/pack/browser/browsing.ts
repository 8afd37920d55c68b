import { serverOf } from "@biplane/core/internal";
import type { Content } from "../../../packages/core/src/tool/content.ts";
import { server } from "biplane";
import type { Server } from "biplane";
import { LiveCall } from "../../../packages/core/src/call/live-call.ts";
import type { BrowserOptions } from "../../../packages/biplane/src/pack/browser/options.ts";
import { browserPack } from "../../../packages/biplane/src/pack/browser/pack.ts";
import { findChromium } from "../../support/find-chromium.ts";

/** A server with a browser in it, for callers of any session. */
export class Browsing implements AsyncDisposable {
  readonly server: Server;

  constructor(
    options: BrowserOptions = {},
    lookup: (hostname: string) => Promise<readonly string[]> = async () => [],
    secrets: Readonly<Record<string, string>> = {},
  ) {
    const pack = browserPack({ executablePath: findChromium().path ?? "", ...options }, { lookup });
    this.server = server({ name: "browsing", version: "1", packs: [pack], limits: false, secrets });
  }

  /** What a model gets: text, or of a call that fails the error. */
  async text(tool: string, input: object = {}, session = "one"): Promise<string> {
    const parts = await this.parts(tool, input, session);
    return parts.map((part) => (part.type === "text" ? part.text : part.type)).join("\n");
  }

  async parts(tool: string, input: object = {}, session = "one"): Promise<readonly Content[]> {
    const agent = { agentId: "test", model: undefined, requestId: "1", metadata: {} };
    const principal = { kind: "local", id: "test", scopes: [] } as const;
    const outcome = await serverOf(this.server).perform(
      new LiveCall({ tool, input, route: "mcp", agent, principal, session }),
    );
    if (outcome.status === "done") return outcome.content;
    const said = outcome.status === "failed" ? `${outcome.error.code}: ${outcome.error.message}` : outcome.status;
    return [{ type: "text", text: said }];
  }

  /** The number of the element whose description holds these words. */
  async element(words: string, session = "one"): Promise<number> {
    const page = await this.text("browser_read", {}, session);
    const found = [...page.matchAll(/\[(\d+) [^\]]*\]/g)].find(([whole]) => whole.includes(words));
    if (!found) throw new Error(`no ${words} in:\n${page}`);
    return Number(found[1]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server.close();
  }
}

export function page(title: string, body: string): string {
  return `<!doctype html><html><head><meta charset="utf-8"><title>${title}</title></head><body>${body}</body></html>`;
}
