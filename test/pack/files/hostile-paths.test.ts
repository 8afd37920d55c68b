import { linkSync, readFileSync, readdirSync, rmSync, statSync, symlinkSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Server } from "biplane";
import { memoryPack } from "../../../src/pack/memory/pack.ts";
import { vaultPack } from "../../../src/pack/vault/pack.ts";
import { workspacePack } from "../../../src/pack/workspace/pack.ts";
import { Playground } from "./playground.ts";

const count = process.env["BIPLANE_SOAK"] ? 100_000 : 2000;
const batch = 20;
const seed = process.env["BIPLANE_SOAK"] ? Date.now() : 42;
const canary = "CANARY-3f9a";

test(
  "no path reads, writes or reveals anything outside the workspace, the memory or the vault",
  { timeout: count * 20 + 30_000 },
  async () => {
    await using ground = new Playground();
    const outside = plantOutside(ground);
    const desk = ground.serve({
      name: "all",
      tools: [
        ...workspacePack({ root: ground.at("workspace"), approveDelete: false }).tools,
        ...memoryPack({ root: ground.at("memory") }).tools,
        ...vaultPack({ root: ground.at("vault"), watch: false }).tools,
      ],
    });
    const seen = { answered: 0, refused: 0 };
    const calls = fc.sample(callIn(ground), { numRuns: count, seed });
    for (let at = 0; at < calls.length; at += batch) {
      for (const root of roots) plantInside(ground, root);
      await Promise.all(calls.slice(at, at + batch).map((call) => tryCall(desk, call, { ground, seen })));
      if (at % (batch * 10) === 0) expect(outsideOf(ground)).toEqual(outside);
    }
    expect(outsideOf(ground)).toEqual(outside);
    expect(seen.answered).toBeGreaterThan(count / 20);
    expect(seen.refused).toBeGreaterThan(count / 20);
  },
);

interface HostileCall {
  readonly tool: string;
  readonly input: Record<string, unknown>;
}

const roots = ["workspace", "memory", "vault"] as const;

async function tryCall(
  desk: Server,
  { tool, input }: HostileCall,
  { ground, seen }: { ground: Playground; seen: { answered: number; refused: number } },
): Promise<void> {
  let told: string;
  try {
    told = JSON.stringify(await desk.call(tool, input));
    seen.answered++;
  } catch (error) {
    const { code, message } = error as { code: string; message: string };
    expect(["INVALID_INPUT", "EXECUTION_ERROR"], `${tool} ${JSON.stringify(input)}: ${message}`).toContain(code);
    told = message;
    seen.refused++;
  }
  const echoed = JSON.stringify(input);
  expect(told, `${tool} ${echoed}`).not.toContain(canary);
  if (!echoed.includes("/proc/")) expect(told, `${tool} ${echoed}`).not.toMatch(/\/proc\/self\/fd|root:x:0/);
  if (!echoed.includes(ground.path)) expect(told, `${tool} ${echoed}`).not.toContain(ground.path);
}

function callIn(ground: Playground): fc.Arbitrary<HostileCall> {
  const path = hostilePath(ground);
  const content = fc.constantFrom("WRITTEN", "", "[[note]] #tag");
  const query = fc.constantFrom("CANARY", "note", "e");
  return fc.oneof(
    call("workspace_read", { path, offset: fc.constantFrom(undefined, 0, 1) }),
    call("workspace_write", { path, content }),
    call("workspace_list", { path, recursive: fc.boolean() }),
    call("workspace_edit", { path, old_text: fc.constantFrom("CANARY", "note", "WRITTEN"), new_text: content }),
    call("workspace_search", { path, query }),
    call("workspace_move", { from: path, to: path }),
    call("workspace_delete", { path, recursive: fc.boolean() }),
    call("memory_read", { file: path }),
    call("memory_write", { file: path, content, append: fc.boolean() }),
    call("memory_search", { query }),
    call("vault_read", { path }),
    call("vault_write", { path, content }),
    call("vault_list", { path, recursive: fc.boolean() }),
    call("vault_search", { path, query }),
  );
}

function call(tool: string, fields: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<HostileCall> {
  return fc.record(fields).map((input) => ({
    tool,
    input: Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined)),
  }));
}

const climbing = [
  "..",
  ".",
  "",
  "...",
  "．．",
  "‥",
  "%2e%2e",
  "..%2f",
  "..;",
  "..\\",
  "\\..\\..",
  "..\0",
  "\0",
  "~",
  "*",
];
const planted = [
  "out",
  "out-file",
  "sibling",
  "up",
  "self",
  "hard.md",
  "loop",
  "dangling",
  "chain",
  "note.md",
  "folder",
];
const remembered = ["memory", "2026-01-02.md", "MEMORY.md", "2026-01-02", "today", ".git", ".GIT", "GIT~1", "config"];
const elsewhere = [
  "canary",
  "canary.md",
  "outside",
  "workspace",
  "workspace-x",
  "vault",
  "é",
  "e\u0301",
  "\u202e",
].concat(["etc", "passwd", "proc", "3", "C:", "nul", "con.md", " ", "a".repeat(300), "-rf", "--", "\ufeff.git", "new"]);
const starts = [
  "",
  "",
  "",
  "",
  "/",
  "//",
  "./",
  "../",
  "/workspace/",
  "/vault/",
  "/memory/",
  "/workspace",
  "~/",
].concat(["/workspace/../", "/proc/self/fd/3/", "/proc/self/root/", "file:///", "\\\\?\\", "C:\\"]);

function hostilePath(ground: Playground): fc.Arbitrary<string> {
  const step = fc.constantFrom(...climbing, ...planted, ...remembered, ...elsewhere);
  const places = [`${ground.path}/`, `${ground.path}/outside/`];
  for (const root of roots) places.push(`${ground.path}/${root}/`, `${ground.path}/${root}-x/`);
  const start = fc.constantFrom(...starts, ...places);
  const steps = fc.array(step, { maxLength: 6 });
  const separator = fc.constantFrom("/", "/", "/", "//", "\\", "／", "∕", "%2f");
  return fc.oneof(
    { weight: 8, arbitrary: fc.tuple(start, steps, separator).map(([from, names, by]) => from + names.join(by)) },
    { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 20 }) },
  );
}

/** What nobody may see or change. */
function plantOutside(ground: Playground): string[] {
  for (const name of ["outside/canary", "outside/canary.md", "outside/folder/note.md", "canary.md"]) {
    ground.write(name, canary);
  }
  for (const root of roots) {
    ground.write(`${root}-x/canary.md`, canary);
    ground.folder(root);
    plantInside(ground, root);
  }
  return outsideOf(ground);
}

function outsideOf(ground: Playground): string[] {
  const folders = [".", "outside", "outside/folder", ...roots.map((root) => `${root}-x`)];
  return folders.flatMap((folder) =>
    readdirSync(ground.at(folder)).map((name) => {
      const stats = statSync(ground.at(folder, name));
      const held = stats.isFile() ? readFileSync(ground.at(folder, name), "utf8") : "folder";
      return `${folder}/${name}: ${held} ${stats.mode}`;
    }),
  );
}

/** Links of every kind, and a little that may be used. */
function plantInside(ground: Playground, root: string): void {
  const links: Record<string, string> = {
    out: "../outside",
    "out-file": ground.at("canary.md"),
    sibling: `../${root}-x`,
    up: "..",
    self: ".",
    loop: "loop",
    dangling: "../nowhere",
    chain: "self/up/outside",
    "memory/2026-01-02.md": "../../canary.md",
    "MEMORY.md": "../canary.md",
  };
  for (const folder of ["folder", "memory", ".git", ".obsidian"]) {
    if (!statSync(ground.at(root, folder), { throwIfNoEntry: false })?.isDirectory()) {
      rmSync(ground.at(root, folder), { force: true });
      ground.folder(`${root}/${folder}`);
    }
  }
  for (const [name, target] of Object.entries(links)) {
    rmSync(ground.at(root, name), { recursive: true, force: true });
    symlinkSync(target, ground.at(root, name));
  }
  rmSync(ground.at(root, "hard.md"), { recursive: true, force: true });
  linkSync(ground.at("outside/canary.md"), ground.at(root, "hard.md"));
  rmSync(ground.at(root, "note.md"), { recursive: true, force: true });
  ground.write(`${root}/note.md`, "a note");
  ground.write(`${root}/.git/config`, canary);
}
