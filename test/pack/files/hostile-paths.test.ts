import { linkSync, readFileSync, readdirSync, rmSync, statSync, symlinkSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Server } from "biplane";
import { memoryPack } from "../../../packages/biplane/src/pack/memory/pack.ts";
import { vaultPack } from "../../../packages/biplane/src/pack/vault/pack.ts";
import { workspacePack } from "../../../packages/biplane/src/pack/workspace/pack.ts";
import { Playground } from "./playground.ts";
import { anyCharacter } from "../../support/any-character.ts";

const count = process.env["BIPLANE_SOAK"] ? 100_000 : 1000;
const batch = 20;
const seed = process.env["BIPLANE_SOAK"] ? Date.now() : 42;
const canary = "CANARY-3f9a";

test(
  "no path reads, writes or reveals anything outside the workspace, the memory or the vault",
  { timeout: count * 20 + 30_000 },
  async () => {
    await using playground = new Playground();
    const outside = plantOutside(playground);
    const kit = playground.serve({
      name: "all",
      tools: [
        ...workspacePack({ root: playground.at("workspace"), approveDelete: false }).tools,
        ...memoryPack({ root: playground.at("memory") }).tools,
        ...vaultPack({ root: playground.at("vault"), watch: false }).tools,
      ],
    });
    const seen = { answered: 0, refused: 0 };
    const calls = fc.sample(callIn(playground), { numRuns: count, seed });
    for (let at = 0; at < calls.length; at += batch) {
      for (const root of roots) plantInside(playground, root);
      await Promise.all(calls.slice(at, at + batch).map((call) => tryCall(kit, call, { playground, seen })));
      if (at % (batch * 10) === 0) expect(outsideOf(playground)).toEqual(outside);
    }
    expect(outsideOf(playground)).toEqual(outside);
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
  kit: Server,
  { tool, input }: HostileCall,
  { playground, seen }: { playground: Playground; seen: { answered: number; refused: number } },
): Promise<void> {
  let told: string;
  try {
    told = JSON.stringify(await kit.call(tool, input));
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
  if (!echoed.includes(playground.path)) expect(told, `${tool} ${echoed}`).not.toContain(playground.path);
}

function callIn(playground: Playground): fc.Arbitrary<HostileCall> {
  const path = hostilePath(playground);
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

function hostilePath(playground: Playground): fc.Arbitrary<string> {
  const step = fc.constantFrom(...climbing, ...planted, ...remembered, ...elsewhere);
  const places = [`${playground.path}/`, `${playground.path}/outside/`];
  for (const root of roots) places.push(`${playground.path}/${root}/`, `${playground.path}/${root}-x/`);
  const start = fc.constantFrom(...starts, ...places);
  const steps = fc.array(step, { maxLength: 6 });
  const separator = fc.constantFrom("/", "/", "/", "//", "\\", "／", "∕", "%2f");
  return fc.oneof(
    { weight: 8, arbitrary: fc.tuple(start, steps, separator).map(([from, names, by]) => from + names.join(by)) },
    { weight: 1, arbitrary: fc.string({ unit: anyCharacter, maxLength: 20 }) },
  );
}

/** What nobody may see or change. */
function plantOutside(playground: Playground): string[] {
  for (const name of ["outside/canary", "outside/canary.md", "outside/folder/note.md", "canary.md"]) {
    playground.write(name, canary);
  }
  for (const root of roots) {
    playground.write(`${root}-x/canary.md`, canary);
    playground.folder(root);
    plantInside(playground, root);
  }
  return outsideOf(playground);
}

function outsideOf(playground: Playground): string[] {
  const folders = [".", "outside", "outside/folder", ...roots.map((root) => `${root}-x`)];
  return folders.flatMap((folder) =>
    readdirSync(playground.at(folder)).map((name) => {
      const stats = statSync(playground.at(folder, name));
      const held = stats.isFile() ? readFileSync(playground.at(folder, name), "utf8") : "folder";
      return `${folder}/${name}: ${held} ${stats.mode}`;
    }),
  );
}

/** Links of every kind, and a little that may be used. */
function plantInside(playground: Playground, root: string): void {
  const links: Record<string, string> = {
    out: "../outside",
    "out-file": playground.at("canary.md"),
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
    if (!statSync(playground.at(root, folder), { throwIfNoEntry: false })?.isDirectory()) {
      rmSync(playground.at(root, folder), { force: true });
      playground.folder(`${root}/${folder}`);
    }
  }
  for (const [name, target] of Object.entries(links)) {
    rmSync(playground.at(root, name), { recursive: true, force: true });
    symlinkSync(target, playground.at(root, name));
  }
  rmSync(playground.at(root, "hard.md"), { recursive: true, force: true });
  linkSync(playground.at("outside/canary.md"), playground.at(root, "hard.md"));
  rmSync(playground.at(root, "note.md"), { recursive: true, force: true });
  playground.write(`${root}/note.md`, "a note");
  playground.write(`${root}/.git/config`, canary);
}
