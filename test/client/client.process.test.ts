import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { BiplaneError } from "biplane";
import { readToolError } from "biplane/client";
import type { CatalogChange } from "../../packages/core/src/server/catalog.ts";
import type { ServerLogMessage } from "../../packages/core/src/client/options.ts";
import { patienceMs, within } from "../support/within.ts";
import { slot, targets } from "./targets.ts";
import type { Slot } from "./targets.ts";

describe.each(targets)("over $name", (target) => {
  const asked: string[] = [];
  const lines: ServerLogMessage[] = [];
  let at: Slot;
  beforeAll(async () => {
    at = await slot(target, {
      logLevel: "info",
      onLog: (line) => lines.push(line),
      answers: {
        form: ({ message, schema }) => {
          asked.push(message, String(schema["type"]));
          return { action: "accept", content: { name: "Ada" } };
        },
      },
    });
  });
  afterAll(() => at[Symbol.asyncDispose]());

  test("a client knows the server's name and the protocol version", async () => {
    const { client } = at;
    expect(client.era).toBe(target.era);
    expect(client.protocolVersion).toBe(target.era === "modern" ? "2026-07-28" : "2025-11-25");
    expect(client.serverInfo).toMatchObject({ name: "fixture", version: "1.2.3", title: "A fixture" });
    expect(client.capabilities).toMatchObject({ tools: { listChanged: true } });
    expect(client.instructions).toBe("Says what is asked of it");
    await client.ping();
  });

  test("tools are listed and called, and their failures are results", async () => {
    const tools = await at.client.listTools();
    const say = tools.find(({ name }) => name === "say");
    expect(say).toMatchObject({ description: "Says a word", annotations: { readOnlyHint: true } });
    const sum = await at.client.callTool("add", { a: 2, b: 3 });
    expect(sum.structuredContent).toEqual({ sum: 5 });
    const failed = await at.client.callTool("fail");
    expect(failed).toMatchObject({ isError: true, content: [{ type: "text", text: "Error: it broke" }] });
    await expect(at.client.callTool("nowhere")).rejects.toMatchObject({
      code: "TOOL_NOT_FOUND",
      details: { rpc: { code: -32602 } },
    });
  });

  test("a failure has the code that the server gave it", async () => {
    const code = async (name: string, input = {}) => readToolError(await at.client.callTool(name, input))?.code;
    expect(await code("fail")).toBe("EXECUTION_ERROR");
    expect(await code("slow")).toBe("TIMEOUT");
    expect(await code("say", { wrod: "hi" })).toBe("INVALID_INPUT");
    await expect(at.client.callTool("refuse")).rejects.toMatchObject({ code: "RATE_LIMITED" });
  });

  test("resources are listed, found by template and read", async () => {
    const resources = await at.client.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual(["note://readme", "note://pixel", "note://watched"]);
    const templates = await at.client.listResourceTemplates();
    expect(templates.map(({ uriTemplate }) => uriTemplate)).toEqual(["note://by-id/{id}"]);
    const { contents } = await at.client.readResource("note://by-id/seven");
    expect(contents).toMatchObject([{ uri: "note://by-id/seven", text: "note seven" }]);
    await expect(at.client.readResource("note://nowhere")).rejects.toThrow("Resource not found: note://nowhere");
  });

  test("prompts are listed and got, and arguments completed", async () => {
    expect((await at.client.listPrompts()).map(({ name }) => name)).toEqual(["review"]);
    const { messages } = await at.client.getPrompt("review", { code: "1 + 1", style: "harsh" });
    expect(messages).toMatchObject([{ role: "user", content: { text: "Review, being harsh: 1 + 1" } }]);
    const styles = await at.client.complete({ prompt: "review" }, { name: "style", value: "h" });
    expect(styles.values).toEqual(["harsh"]);
    const ids = await at.client.complete({ template: "note://by-id/{id}" }, { name: "id", value: "al" });
    expect(ids.values).toEqual(["alpha", "alps"]);
  });

  test("a question is answered, and the call goes on with the answer", async () => {
    expect(await at.client.callTool("greet")).toMatchObject({ content: [{ text: "Hello, Ada" }] });
    expect(asked).toEqual(["What is your name?", "object"]);
  });

  test("progress arrives while the call runs", async () => {
    const heard: unknown[] = [];
    const onProgress = (progress: { progress: number }) => {
      heard.push(progress);
      void at.client.callTool("heard", { at: progress.progress });
    };
    await at.client.callTool("count", { to: 3 }, { onProgress });
    expect(heard).toMatchObject([{ progress: 1 }, { progress: 2 }, { progress: 3, total: 3, message: "step 3" }]);
  });

  test("a call that is cancelled is cancelled on the server too", async () => {
    const cancel = new AbortController();
    const hung = at.client.callTool("hang", { key: "k" }, { signal: cancel.signal });
    await at.client.callTool("hang_seen", { key: "k" });
    cancel.abort();
    await expect(hung).rejects.toMatchObject({ code: "CANCELLED" });
    await at.client.callTool("abort_seen", { key: "k" });
  });

  test("a call that takes too long fails, and is cancelled on the server", async () => {
    const late = at.client.callTool("hang", { key: "late" }, { timeoutMs: 100 });
    await expect(late).rejects.toThrow(new BiplaneError("TIMEOUT", "tools/call timed out after 100 ms."));
    await at.client.callTool("abort_seen", { key: "late" });
  });

  test("log lines of the wanted level arrive", async () => {
    await at.client.callTool("chat");
    expect(lines).toMatchObject([{ level: "warning", data: { said: "aloud" }, logger: "chatter" }]);
    await at.client.setLogLevel("debug");
    await at.client.callTool("chat");
    expect(lines.map(({ level }) => level)).toEqual(["warning", "debug", "warning"]);
  });

  test("changes of lists and of subscribed resources arrive until they are unsubscribed", async () => {
    const changes = new Changes();
    const stop = await at.client.onChange(changes.put);
    await at.client.callTool("change_tools");
    expect(await changes.take()).toBe("tools");
    await at.client.subscribe("note://watched");
    await at.client.callTool("change_note");
    expect(await changes.take()).toEqual({ resource: "note://watched" });
    await at.client.unsubscribe("note://watched");
    await at.client.callTool("change_note");
    await at.client.callTool("change_tools");
    expect(await changes.take()).toBe("tools"); // and not the note
    stop();
    await at.client.callTool("change_tools");
    expect(changes.isEmpty).toBe(true);
  });

  test("what a server adds to its results, and what a caller adds to requests, passes through", async () => {
    const result = await at.client.request("tools/list", {}, { meta: { "dev.biplane/agent": { agentId: "tester" } } });
    expect(Object.keys(result)).toContain("tools");
    if (target.era === "modern") expect(result).toMatchObject({ resultType: "complete", cacheScope: "private" });
    await expect(at.client.request("no/such")).rejects.toMatchObject({ code: "NOT_SUPPORTED" });
  });
});

/** Changes in the order in which they came. */
class Changes {
  readonly #there: CatalogChange[] = [];
  #tell: (() => void) | undefined;

  readonly put = (change: CatalogChange): void => {
    this.#there.push(change);
    this.#tell?.();
  };

  get isEmpty(): boolean {
    return this.#there.length === 0;
  }

  async take(): Promise<CatalogChange | undefined> {
    if (this.isEmpty) {
      const arrival = new Promise<void>((resolve) => {
        this.#tell = resolve;
      });
      await within(patienceMs, "news of a change", arrival);
    }
    return this.#there.shift();
  }
}
