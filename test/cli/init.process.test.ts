import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, cp, mkdir, mkdtemp, readFile, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { dependencyVersions } from "../../packages/biplane/src/cli/init/dependencies.ts";
import { projectKinds } from "../../packages/biplane/src/cli/init/project.ts";
import { projectName } from "../../packages/biplane/src/cli/init/project-name.ts";
import { widthOf } from "../../packages/biplane/src/cli/terminal/width.ts";
import { biplane, linkPackages, program, runToEnd } from "../support/project.ts";
import type { Ended } from "../support/project.ts";
import { runIn } from "./command.ts";
import { inTerminal } from "./terminal.ts";
import { needs, skipWithout } from "../support/needs.ts";

const clone = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "");
let folder: string;
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), "biplane-init-"))));
afterAll(() => rm(folder, { recursive: true }));

const languages = ["TypeScript", "JavaScript"] as const;
const isSoak = process.env["BIPLANE_SOAK"] !== undefined;

describe.each(projectKinds.flatMap((kind) => languages.map((language) => [kind, language] as const)))(
  "a new %s in %s",
  (kind, language) => {
    const name = `my-${kind}-${language.toLowerCase()}`;
    // The tour plays the evals of the other two.
    const isJudged = isSoak || (kind === "app" && language === "TypeScript");
    const isTested = isSoak || language === "TypeScript" || kind === "environment";
    const cwd = () => join(folder, name);

    test("is made with a screenful of what to do next", async () => {
      const words = ["init", name, "--kind", kind, ...(language === "JavaScript" ? ["--javascript"] : [])];
      const { code, stdout, stderr } = await runIn(folder, words);
      expect([code, stderr]).toEqual([0, ""]);
      const lines = stdout.trimEnd().split("\n");
      expect(lines.length).toBeLessThanOrEqual(24);
      expect(Math.max(...lines.map(widthOf))).toBeLessThanOrEqual(80);
      expect(stdout).toContain(`cd ${name}`);
      expect(stdout).toContain(kind === "app" ? "  npx biplane app dev\n" : "  npm start\n");
      await linkPackages(cwd());
    });

    test.runIf(isTested)("passes its own test", async () => {
      const { code, stdout } = await script(cwd(), "test");
      expect(stdout).toMatch(/^ℹ pass [34]$/m);
      expect(code).toBe(0);
    });

    test.runIf(isJudged)("passes its own eval", async () => {
      const { code, stdout, stderr } = await script(cwd(), "eval");
      expect([code, stderr]).toEqual([0, expect.not.stringMatching(/biplane:/)]);
      expect(stdout).toMatch(/rollouts +(\d) of \1/);
    });

    test.runIf(language === "TypeScript")("has no mistakes of types", async () => {
      const tsc = join("node_modules", "typescript", "bin", "tsc");
      expect((await runToEnd(process.execPath, [tsc, "--noEmit"], { cwd: cwd() })).stdout).toBe("");
    });

    test.runIf(kind === "app" && isJudged)("is served by its start script", async () => {
      const env = { ...process.env, BIPLANE_LISTEN: "http://127.0.0.1:0" };
      const child = spawn(process.execPath, [program, "serve"], { cwd: cwd(), env });
      const lines: string[] = [];
      const reader = createInterface(child.stderr).on("line", (line) => lines.push(line));
      while (!lines.some((line) => line.includes("Ctrl-C"))) await once(reader, "line");
      const url = /http:\/\/[\d.:]+/.exec(lines.join("\n"))?.[0] ?? "";
      expect(await (await fetch(`${url}/mcp/capabilities`)).text()).toContain('"show_poll"');
      child.kill("SIGINT");
      await once(child, "exit");
    });
  },
);

/** A script of a project's package.json, as npm would run it. */
async function script(cwd: string, name: string): Promise<Ended> {
  const { scripts } = JSON.parse(await readFile(join(cwd, "package.json"), "utf8")) as {
    scripts: Record<string, string>;
  };
  const path = `${join(cwd, "node_modules", ".bin")}:${process.env["PATH"]}`;
  return runToEnd("/bin/sh", ["-c", scripts[name] ?? "false"], { cwd, env: { PATH: path } });
}

describe("what is there already", () => {
  test("is named and left alone, and nothing is written beside it", async () => {
    const place = join(folder, "taken");
    await mkdir(join(place, "src"), { recursive: true });
    await writeFile(join(place, "README.md"), "mine");
    await symlink("nowhere", join(place, "src", "server.ts"));
    const { code, stderr } = await runIn(folder, ["init", "taken"]);
    expect([code, stderr]).toEqual([
      1,
      "biplane: taken already has README.md, src/server.ts. Nothing was written. Use another folder.\n",
    ]);
    expect((await readdir(place, { recursive: true })).toSorted()).toEqual(["README.md", "src", "src/server.ts"]);
    expect(await readFile(join(place, "README.md"), "utf8")).toBe("mine");
  });

  test("that does not conflict stays", async () => {
    const place = join(folder, "notes");
    await mkdir(join(place, "src"), { recursive: true });
    await writeFile(join(place, "src", "mine.txt"), "mine");
    const { code, stdout } = await runIn(place, ["init", "."]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Created a server in this folder:/);
    expect(stdout).not.toContain("cd ");
    expect((await readdir(join(place, "src"))).toSorted()).toEqual(["mine.txt", "server.ts"]);
    expect((await readdir(place)).filter((name) => name.endsWith(".new"))).toEqual([]);
  });

  test("a second time is refused", async () => {
    const place = await mkdtemp(join(folder, "twice-"));
    expect((await runIn(place, ["init", "."])).code).toBe(0);
    expect((await runIn(place, ["init", "."])).stderr).toMatch(/^biplane: \. already has .*\. Nothing was written/);
  });

  test("a folder that cannot be made leaves nothing behind", async () => {
    await writeFile(join(folder, "file"), "");
    const { code, stderr } = await runIn(folder, ["init", "file/below"]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/A part of the path .* is not a folder/);
    expect((await runIn(folder, ["init", "file"])).stderr).toMatch(/file exists and is not a folder/);
    expect((await readdir(folder)).filter((name) => name.includes(".new"))).toEqual([]);
  });

  test.each(["/proc/my-kit", "/proc/of/my-kit"])(
    "nothing can be created at %s, which is an error at once",
    needs("linux"),
    async (place) => {
      const { code, stderr } = await runIn(folder, ["init", place]);
      expect(code).toBe(1);
      expect(stderr).toMatch(/^biplane: .*\/proc/);
    },
  );

  // Root may write everywhere, so that somebody else is asked to.
  test("a folder that this user may not write in is named", needs("another user"), async () => {
    await chmod(folder, 0o755);
    await mkdir(join(folder, "shut"), { mode: 0o755 });
    const { stderr } = await biplane(["init", "shut/my-kit"], { cwd: folder, uid: 65_534 });
    expect(stderr).toMatch(/^biplane: No permission to access \S+\/shut \(EACCES\)/);
  });
});

test("without a terminal it does not ask", async () => {
  const { code, stderr } = await runIn(folder, ["init"]);
  expect([code, stderr]).toEqual([2, "biplane: Pass a folder, such as biplane init my-server --kind server.\n"]);
});

test("at a terminal it asks, and Enter takes what is shown", needs("python3"), async () => {
  const place = await mkdtemp(join(folder, "asked-"));
  const shell = { command: "/bin/sh", args: ["-c", `cd '${place}' && exec '${process.execPath}' '${program}' init`] };
  const { code, frames } = await inTerminal(shell, [
    { see: "Kind of project (server, environment, app)? [server] ", type: "environment\r" },
    { see: "Folder? [my-environment] ", type: "\r" },
    { see: "README.md describes" },
  ]);
  expect(code).toBe(0);
  expect(frames.at(-1)).toContain("Created an environment in my-environment:");
  expect(await readdir(place)).toEqual(["my-environment"]);
});

test("a kind that is none is refused before anything is made", async () => {
  const { stderr } = await runIn(folder, ["init", "x", "--kind", "servr"]);
  expect(stderr).toBe('biplane: --kind must be one of server, environment, app, not "servr". Did you mean server?\n');
});

test.each([
  ["my-kit", "my-kit"],
  ["My Kit (2)", "my-kit-2"],
  ["../deep/Über.kit", "ber-kit"],
  ["null", "null"],
])("the folder %s gives the name %s", (given, name) => {
  expect(projectName(given)).toBe(name);
});

test.each([["..."], ["_"], ["mcp"], ["biplane"], ["node_modules"], ["x".repeat(65)]])(
  "the folder %s gives no name",
  (given) => {
    expect(() => projectName(join(folder, given))).toThrow(/not usable as a project name|is reserved/);
  },
);

const second = skipWithout(isSoak, "BIPLANE_SOAK=1, because it installs a second project");

describe.each([
  ["beside", () => tmpdir(), {}],
  ["inside", () => join(clone, ".cache"), second],
])("a project %s a clone", (_, parent, options) => {
  test(
    "needs no link: it is installed, its test passes and it is served",
    { ...options, timeout: 180_000 },
    async () => {
      await mkdir(parent(), { recursive: true });
      const place = await mkdtemp(join(parent(), "biplane-clone-"));
      try {
        const cwd = join(place, "my-server");
        expect((await biplane(["init", "my-server"], { cwd: place })).code).toBe(0);
        const npm = (...args: string[]) => runToEnd("npm", args, { cwd, timeoutMs: 120_000 });
        const installed = await npm("install", "--no-audit", "--no-fund", "--prefer-offline");
        expect([installed.code, installed.stderr]).toEqual([0, expect.not.stringContaining("npm error")]);
        expect((await npm("test")).stdout).toMatch(/^ℹ pass 4$/m);
        const env = { ...process.env, BIPLANE_LISTEN: "http://127.0.0.1:0" };
        const child = spawn("npx", ["biplane", "serve"], { cwd, env, detached: true });
        const lines: string[] = [];
        const reader = createInterface(child.stderr).on("line", (line) => lines.push(line));
        while (!lines.some((line) => line.includes("Ctrl-C"))) await once(reader, "line");
        expect(lines.join("\n")).toContain("my-server 0.1.0 is running.");
        process.kill(-(child.pid ?? 0), "SIGTERM");
        await once(child, "exit");
      } finally {
        await rm(place, { recursive: true });
      }
    },
  );
});

test("a new project depends on the versions that Biplane is tested with", async () => {
  const { devDependencies } = JSON.parse(await readFile(join(clone, "package.json"), "utf8")) as {
    devDependencies: Record<string, string>;
  };
  const { biplane: own, ...others } = dependencyVersions();
  expect(own).toBe(`file:${join(clone, "packages", "biplane")}`);
  for (const [name, range] of Object.entries(others)) expect(range).toBe(`^${devDependencies[name]?.replace("^", "")}`);
});

test("a clone that is not built says how to build it", async () => {
  const place = await mkdtemp(join(folder, "unbuilt-"));
  await cp(program, join(place, "packages", "biplane", "bin", "biplane.mjs"));
  const started = join(place, "packages", "biplane", "bin", "biplane.mjs");
  const { code, stderr } = await runToEnd(process.execPath, [started, "init"], { cwd: place });
  expect([code, stderr]).toEqual([
    1,
    `biplane: This clone is not built yet. Run: cd ${place}/ && npm install && npm run build\n`,
  ]);
});
