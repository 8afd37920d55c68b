import type { Content } from "../../../src/tool/content.ts";
import { server } from "biplane";
import type { Server } from "biplane";
import { LiveCall } from "../../../src/call/live-call.ts";
import { findChromium } from "../../../src/pack/browser/find-chromium.ts";
import type { BrowserOptions } from "../../../src/pack/browser/options.ts";
import { browserPack } from "../../../src/pack/browser/pack.ts";

/** Whether these tests can run here; says what is missing where they cannot. */
export const hasChromium = (() => {
  try {
    findChromium();
    return true;
  } catch (error) {
    console.log(`browser tests skipped: ${(error as Error).message} (apt-get install chromium)`);
    return false;
  }
})();

/** A server with a browser in it, for callers of any session. */
export class Browsing implements AsyncDisposable {
  readonly server: Server;

  constructor(options: BrowserOptions = {}, lookup: (hostname: string) => Promise<readonly string[]> = async () => []) {
    this.server = server({ name: "browsing", version: "1", packs: [browserPack(options, { lookup })], limits: false });
  }

  /** What a model gets: text, or of a call that fails the error. */
  async text(tool: string, input: object = {}, session = "one"): Promise<string> {
    const parts = await this.parts(tool, input, session);
    return parts.map((part) => (part.type === "text" ? part.text : part.type)).join("\n");
  }

  async parts(tool: string, input: object = {}, session = "one"): Promise<readonly Content[]> {
    const agent = { agentId: "test", model: undefined, requestId: "1", metadata: {} };
    const principal = { kind: "local", id: "test", scopes: [] } as const;
    const outcome = await this.server.perform(new LiveCall({ tool, input, route: "mcp", agent, principal, session }));
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
