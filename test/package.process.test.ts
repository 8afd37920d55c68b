import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fillNewUserFolder } from "./support/packed.ts";

/** Each package as users get it: packed, installed in an empty folder, imported from there. */
const root = fileURLToPath(new URL("..", import.meta.url));
const work = mkdtempSync(join(tmpdir(), "biplane-package-"));
const packages = ["core", "starlark", "gallery", "biplane"] as const;
const tarballs = new Map<string, string>();
const folderOf = (name: string) => join(work, name === "biplane" ? "home" : name);

beforeAll(async () => {
  await fillNewUserFolder(work);
  for (const { name, version } of packages.map(manifestOf))
    tarballs.set(name, join(work, "packed", `${name.replace("@", "").replace("/", "-")}-${version}.tgz`));
}, 200_000);
afterAll(() => rmSync(work, { recursive: true }));

describe.each(packages)("packages/%s", (name) => {
  const manifest = manifestOf(name);
  const folder = folderOf(name);

  beforeAll(() => {
    if (name !== "biplane") install(folder, manifest.name);
    // All of Biplane is installed already, but not the library for schemas, which users choose.
    else
      cpSync(join(folderOf("core"), "node_modules", "zod"), join(folder, "node_modules", "zod"), { recursive: true });
  }, 120_000);

  test("every entry can be imported", () => {
    const entries = Object.keys(manifest.exports).filter((path) => path !== "./package.json");
    const specifiers = entries.map((path) => `${manifest.name}${path.slice(1)}`);
    const script = `
      const names = await Promise.all(${JSON.stringify(specifiers)}.map(async (each) => Object.keys(await import(each))));
      process.stdout.write(JSON.stringify(names));
    `;
    const names = JSON.parse(node(folder, script)) as string[][];
    expect(specifiers.filter((_, at) => names[at]?.length === 0)).toEqual([]);
  });

  test("ships its license, its types and nothing of its sources", () => {
    const files = readdirSync(join(folder, "node_modules", manifest.name), { recursive: true, encoding: "utf8" });
    expect(files).toEqual(expect.arrayContaining(["LICENSE", "NOTICE", "package.json"]));
    expect(files.filter((file) => file.endsWith(".ts") && !file.endsWith(".d.ts"))).toEqual([]);
  });
});

test("@biplane/core has one dependency and takes less than 3 MB", () => {
  expect(Object.keys(manifestOf("core").dependencies ?? {})).toEqual(["ws"]);
  const modules = join(folderOf("core"), "node_modules");
  expect(readdirSync(modules).filter((name) => !name.startsWith("."))).toEqual(["@biplane", "ws", "zod"]);
  expect(bytesIn(join(modules, "@biplane")) + bytesIn(join(modules, "ws"))).toBeLessThan(3_000_000);
});

test("@biplane/core names the library that OAuth needs", () => {
  const script = `
    import { connect } from "@biplane/core/client";
    await connect("http://127.0.0.1:9/mcp", { oauth: {} }).catch(({ message }) => process.stdout.write(message));
  `;
  expect(node(folderOf("core"), script)).toContain("Run: npm install oauth4webapi");
});

test("all packages have one version, and depend on exactly that version of each other", () => {
  const { version } = manifestOf("biplane");
  for (const name of packages) {
    const { version: own, dependencies = {} } = manifestOf(name);
    expect(own).toBe(version);
    for (const [other, range] of Object.entries(dependencies)) if (tarballs.has(other)) expect(range).toBe(version);
  }
});

test("the program runs", () => {
  const program = join(folderOf("biplane"), "node_modules", ".bin", "biplane");
  expect(execFileSync(program, ["--version"], { encoding: "utf8" })).toMatch(/^\d/);
});

test.each(["biplane", "@biplane/core"])("nine lines make a server with %s", (name) => {
  const out = node(
    folderOf(name === "biplane" ? "biplane" : "core"),
    `
    import { server, tool } from "${name}";
    import { z } from "zod";
    const add = tool({ name: "add", input: z.object({ a: z.number(), b: z.number() }), run: ({ a, b }) => a + b });
    const calculator = server({ name: "calculator", version: "1.0.0", tools: [add] });
    process.stdout.write(String(await calculator.call("add", { a: 1, b: 2 })));
  `,
  );
  expect(out).toBe("3");
});

test("biplane and @biplane/core are one library, not two copies", () => {
  const script = `
    const [{ server }, core] = await Promise.all([import("biplane"), import("@biplane/core")]);
    process.stdout.write(String(server === core.server));
  `;
  expect(node(folderOf("biplane"), script)).toBe("true");
});

test("the lock file names no registry", () => {
  expect(readFileSync(join(root, "package-lock.json"), "utf8")).not.toMatch(/"resolved": "http|https?:\/\/registry/);
});

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly exports: Readonly<Record<string, unknown>>;
  readonly dependencies?: Readonly<Record<string, string>>;
}

function manifestOf(name: string): Manifest {
  return JSON.parse(readFileSync(join(root, "packages", name, "package.json"), "utf8")) as Manifest;
}

/** Installs a package and those of ours that it depends on from their tarballs, the rest from the registry. */
function install(folder: string, name: string): void {
  mkdirSync(folder);
  const needed = name === "@biplane/gallery" ? ["@biplane/core", name] : [name];
  const dependencies = Object.fromEntries(needed.map((each) => [each, `file:${tarballs.get(each)}`]));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module", dependencies }));
  npm(folder, "install", "--no-audit", "--no-fund", "--prefer-offline", "--ignore-scripts", "zod");
}

function bytesIn(path: string): number {
  const stats = statSync(path);
  if (!stats.isDirectory()) return stats.size;
  return readdirSync(path).reduce((sum, name) => sum + bytesIn(join(path, name)), 0);
}

function npm(cwd: string, ...args: string[]): string {
  return execFileSync("npm", args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
}

function node(cwd: string, script: string): string {
  return execFileSync(process.execPath, ["--input-type=module", "-e", script], { cwd, encoding: "utf8" });
}
