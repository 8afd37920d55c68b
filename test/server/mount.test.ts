import { serverOf } from "@biplane/core/internal";
import { describe, expect, test } from "vitest";
import { allow, ask, deny, prompt, resource, server, tool } from "biplane";
import type { Policy, Server } from "biplane";
import type { Pack } from "../../packages/core/src/server/pack.ts";

const named = (name: string, says: string) => tool({ name, run: () => says });
const gateway = (name: string, tools: Parameters<typeof server>[0]["tools"] = [], more: object = {}): Server =>
  server({ name, version: "1", tools, onFault: () => undefined, ...more });
const names = (of: Server) => Array.from(of.tools, ({ name }) => name);

describe("a mounted server", () => {
  test("is called as if its tools were the parent's own", async () => {
    const git = gateway("git", [named("status", "clean")]);
    const parent = gateway("parent", [named("hello", "hi")]).mount("git", git);
    expect(names(parent)).toEqual(["hello", "status"]);
    expect(await parent.call("status")).toBe("clean");
  });

  test("gets its name in front of a name that is taken, of every name, or of none", async () => {
    const git = gateway("git", [named("status", "clean"), named("log", "empty")]);
    const taken = () => gateway("parent", [named("status", "mine")]);
    const onCollision = taken().mount("git", git);
    expect(names(onCollision)).toEqual(["status", "git_status", "log"]);
    expect(await onCollision.call("git_status")).toBe("clean");
    expect(await onCollision.call("status")).toBe("mine");
    expect(names(taken().mount("git", git, { prefix: "always" }))).toEqual(["status", "git_status", "git_log"]);
    expect(() => taken().mount("git", git, { prefix: "never" })).toThrow('the name "status" is already taken');
  });

  test("shows its changes in the parent, whose clients are notified", () => {
    const changes: unknown[] = [];
    const git = gateway("git");
    const parent = gateway("parent").mount("git", git);
    parent.onChange((change) => changes.push(change));
    const status = named("status", "clean");
    git.add(status);
    expect(names(parent)).toEqual(["status"]);
    git.remove(status);
    expect(names(parent)).toEqual([]);
    git.updated("git:head");
    expect(changes).toEqual(["tools", "tools", { resource: "git:head" }]);
  });

  test("brings its resources and prompts along", async () => {
    const child = gateway("child", [], {
      resources: [resource({ name: "r", uri: "r:{x}", read: ({ x }) => `read ${x}` })],
      prompts: [prompt({ name: "p", get: () => "prompted" })],
    });
    const parent = gateway("parent", [], { prompts: [prompt({ name: "p", get: () => "mine" })] }).mount("child", child);
    expect(serverOf(parent).findResource("r:1")?.parameters).toEqual({ x: "1" });
    expect(Array.from(parent.prompts, ({ name }) => name)).toEqual(["p", "child_p"]);
  });

  test("may hold others in turn", async () => {
    const inner = gateway("inner", [named("deep", "found")]);
    const outer = gateway("outer").mount("middle", gateway("middle").mount("inner", inner));
    expect(await outer.call("deep")).toBe("found");
    inner.add(named("deeper", "too"));
    expect(await outer.call("deeper")).toBe("too");
  });

  test("keeps its own rules, also later ones, by the names it knows", async () => {
    const seen: string[] = [];
    const onlyReads: Policy = (_, toolName) => {
      seen.push(toolName);
      return toolName === "status" ? allow() : deny("git only reads");
    };
    const git = gateway("git", [named("status", "clean"), named("push", "pushed")], { policies: [onlyReads] });
    const parent = gateway("parent", [named("other", "fine")]).mount("git", git, { prefix: "always" });
    expect(await parent.call("git_status")).toBe("clean");
    await expect(parent.call("git_push")).rejects.toMatchObject({ code: "POLICY_DENIED", message: "git only reads" });
    expect(await parent.call("other")).toBe("fine");
    expect(seen).toEqual(["status", "push"]);
    git.policy(() => deny("closed"));
    await expect(parent.call("git_status")).rejects.toMatchObject({ message: "closed" });
    expect(await parent.call("other")).toBe("fine");
  });

  test("is governed by the parent's rules, approval, limits, hooks and audit", async () => {
    const happened: string[] = [];
    const audit = { record: ({ tool: name }: { tool: string }) => void happened.push(`audit ${name}`) };
    const git = gateway("git", [named("push", "pushed")]);
    const parent = gateway("parent", [], { policies: [() => ask("Sure?")], audit }).mount("git", git);
    parent.watch({ onError: ({ tool: name }) => happened.push(`hook ${name}`) });
    await expect(parent.call("push")).rejects.toMatchObject({ code: "APPROVAL_REJECTED" });
    expect(happened).toEqual(["hook push", "audit push"]);
  });

  test("reveals neither its own secrets nor the parent's", async () => {
    const child = gateway("child", [named("tell", "child-secret-1 parent-secret-2")], {
      secrets: { CHILD: "child-secret-1" },
    });
    const parent = gateway("parent", [], { secrets: { PARENT: "parent-secret-2" } }).mount("child", child);
    expect(await parent.call("tell")).toBe("[REDACTED:CHILD] [REDACTED:PARENT]");
  });

  test("cannot be the parent itself", () => {
    const parent = gateway("parent");
    expect(() => parent.mount("me", parent)).toThrow("in itself");
  });
});

describe("a pack", () => {
  const pack = (closed: string[] = []): Pack => ({
    name: "files",
    tools: [named("files_read", "key is hunter22-hunter22"), named("files_delete", "gone")],
    policies: [(_, name) => (name === "files_delete" ? deny("not by default") : allow())],
    secrets: { FILE_KEY: "hunter22-hunter22" },
    close: async () => void closed.push("files"),
  });

  test("gives a server its tools, with their rules and secrets, and ends with it", async () => {
    const closed: string[] = [];
    const parent = gateway("parent", [named("other", "fine")], { packs: [pack(closed)] });
    expect(await parent.call("files_read")).toBe("key is [REDACTED:FILE_KEY]");
    await expect(parent.call("files_delete")).rejects.toMatchObject({ message: "not by default" });
    expect(await parent.call("other")).toBe("fine");
    await parent.close();
    expect(closed).toEqual(["files"]);
  });

  test("can be mounted under another name", async () => {
    const parent = gateway("parent", [named("files_read", "mine")]).mount("docs", pack());
    expect(names(parent)).toEqual(["files_read", "docs_files_read", "files_delete"]);
  });
});
