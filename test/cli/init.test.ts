import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, readFile, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { kinds } from "../../src/cli/init/project.ts";
import { projectName } from "../../src/cli/init/project-name.ts";
import { widthOf } from "../../src/cli/terminal/width.ts";
import { biplane, linkPackages, program, runToEnd } from "../support/project.ts";
import type { Ended } from "../support/project.ts";
import { inTerminal } from "./terminal.ts";

let folder: string;
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), "biplane-init-"))));
afterAll(() => rm(folder, { recursive: true }));

const languages = ["TypeScript", "JavaScript"] as const;
const isSoak = process.env["BIPLANE_SOAK"] !== undefined;

describe.each(kinds.flatMap((kind) => languages.map((language) => [kind, language] as const)))(
  "a new %s in %s",
  (kind, language) => {
    const name = `my-${kind}-${language.toLowerCase()}`;
    // The tour plays the evals of the other two.
    const isJudged = isSoak || (kind === "app" && language === "TypeScript");
    const isTested = isSoak || language === "TypeScript" || kind === "environment";
    const cwd = () => join(folder, name);

    test("is made with a screenful of what to do next", async () => {
      const words = ["init", name, "--kind", kind, ...(language === "JavaScript" ? ["--javascript"] : [])];
      const { code, stdout, stderr } = await biplane(words, { cwd: folder });
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
    const { code, stderr } = await biplane(["init", "taken"], { cwd: folder });
    expect([code, stderr]).toEqual([
      1,
      "biplane: README.md, src/server.ts are there already in taken, and nothing was written; name another folder\n",
    ]);
    expect((await readdir(place, { recursive: true })).toSorted()).toEqual(["README.md", "src", "src/server.ts"]);
    expect(await readFile(join(place, "README.md"), "utf8")).toBe("mine");
  });

  test("and is in nobody's way stays", async () => {
    const place = join(folder, "notes");
    await mkdir(join(place, "src"), { recursive: true });
    await writeFile(join(place, "src", "mine.txt"), "mine");
    const { code, stdout } = await biplane(["init", "."], { cwd: place });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Made here, a server:/);
    expect(stdout).not.toContain("cd ");
    expect((await readdir(join(place, "src"))).toSorted()).toEqual(["mine.txt", "server.ts"]);
    expect((await readdir(place)).filter((name) => name.endsWith(".new"))).toEqual([]);
  });

  test("a second time is refused", async () => {
    const place = await mkdtemp(join(folder, "twice-"));
    expect((await biplane(["init", "."], { cwd: place })).code).toBe(0);
    expect((await biplane(["init", "."], { cwd: place })).stderr).toMatch(
      /are there already in \., and nothing was written/,
    );
  });

  test("a folder that cannot be made leaves nothing behind", async () => {
    await writeFile(join(folder, "file"), "");
    const { code, stderr } = await biplane(["init", "file/below"], { cwd: folder });
    expect(code).toBe(1);
    expect(stderr).toMatch(/goes through something that is no folder/);
    expect((await biplane(["init", "file"], { cwd: folder })).stderr).toMatch(/file is there and is no folder/);
    expect((await readdir(folder)).filter((name) => name.includes(".new"))).toEqual([]);
  });

  test.runIf(process.platform === "linux").each(["/proc/my-desk", "/proc/of/my-desk"])(
    "nothing can be made at %s, which is said and not tried for ever",
    async (place) => {
      const { code, stderr } = await biplane(["init", place], { cwd: folder });
      expect(code).toBe(1);
      expect(stderr).toMatch(/^biplane: .*\/proc/);
    },
  );

  // Root may write everywhere, so that somebody else is asked to.
  test.runIf(process.getuid?.() === 0)("a folder that this user may not write in is named", async () => {
    await chmod(folder, 0o755);
    await mkdir(join(folder, "shut"), { mode: 0o755 });
    const { stderr } = await biplane(["init", "shut/my-desk"], { cwd: folder, uid: 65_534 });
    expect(stderr).toMatch(/^biplane: \S+\/shut may not be used by this user \(EACCES\)/);
  });
});

test("without a terminal nobody is asked", async () => {
  const { code, stderr } = await biplane(["init"], { cwd: folder });
  expect([code, stderr]).toEqual([1, "biplane: say where: biplane init my-server --kind server\n"]);
});

test("at a terminal it asks, and Enter takes what is shown", async () => {
  const place = await mkdtemp(join(folder, "asked-"));
  const shell = { command: "/bin/sh", args: ["-c", `cd '${place}' && exec '${process.execPath}' '${program}' init`] };
  const { code, frames } = await inTerminal(shell, [
    { see: "What shall it be: server, environment, app? [server] ", type: "environment\r" },
    { see: "In which folder? [my-environment] ", type: "\r" },
    { see: "README.md says" },
  ]);
  expect(code).toBe(0);
  expect(frames.at(-1)).toContain("Made my-environment, an environment:");
  expect(await readdir(place)).toEqual(["my-environment"]);
});

test("a kind that is none is refused before anything is made", async () => {
  const { stderr } = await biplane(["init", "x", "--kind", "servr"], { cwd: folder });
  expect(stderr).toBe('biplane: --kind: "servr" is not one of its values; did you mean server?\n');
});

test.each([
  ["my-desk", "my-desk"],
  ["My Desk (2)", "my-desk-2"],
  ["../deep/Über.desk", "ber-desk"],
  ["null", "null"],
])("the folder %s gives the name %s", (given, name) => {
  expect(projectName(given)).toBe(name);
});

test.each([["..."], ["_"], ["mcp"], ["biplane"], ["node_modules"], ["x".repeat(65)]])(
  "the folder %s gives no name",
  (given) => {
    expect(() => projectName(join(folder, given))).toThrow(/gives no name|cannot be called/);
  },
);
