import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bashScript } from "../../packages/biplane/src/cli/completion/bash.ts";
import { fishScript } from "../../packages/biplane/src/cli/completion/fish.ts";
import { completionNames } from "../../packages/biplane/src/cli/completion/names.ts";
import { commandTree } from "../../packages/biplane/src/cli/completion/command-tree.ts";
import { zshScript } from "../../packages/biplane/src/cli/completion/zsh.ts";
import { gallery } from "@biplane/gallery";
import { tau2Names } from "../../packages/biplane/src/tau2/environment-names.ts";
import { packs } from "../../packages/biplane/src/pack/packs.ts";
import { runIn } from "./command.ts";
import { inTerminal } from "./terminal.ts";
import { program, runToEnd } from "../support/project.ts";
import { needs } from "../support/needs.ts";

const places = await commandTree();
const names = { environments: await completionNames("environments"), packs: await completionNames("packs") };
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "biplane-completion-"));
  await mkdir(join(folder, "bin"));
  await writeFile(join(folder, "bin", "biplane"), `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`);
  await chmod(join(folder, "bin", "biplane"), 0o755);
  await writeFile(join(folder, "biplane.bash"), bashScript(places, names));
  await writeFile(join(folder, "tools.ts"), "");
  await mkdir(join(folder, "traces"));
});
afterAll(() => rm(folder, { recursive: true }));

/** What bash offers when Tab is pressed at the end of the line, cut into words as bash cuts it. */
async function offered(line: string): Promise<string[]> {
  const words = line.split(/(?<=[=:])|(?=[=:])| /).filter((word, at, all) => word !== "" || at === all.length - 1);
  const quoted = words.map((word) => `'${word.replaceAll("'", String.raw`'\''`)}'`).join(" ");
  const source = `source ./biplane.bash
COMP_WORDS=(${quoted}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _biplane biplane
printf '%s\\n' "\${COMPREPLY[@]}"`;
  const path = `${join(folder, "bin")}${delimiter}${process.env["PATH"]}`;
  const { stdout, stderr } = await runToEnd("bash", ["--norc", "-c", source], { cwd: folder, env: { PATH: path } });
  expect(stderr.replaceAll(/.*compopt.*\n/g, "")).toBe("");
  return stdout.split("\n").filter((word) => word !== "");
}

describe("in bash", needs("bash"), () => {
  test.each([
    ["biplane se", ["serve", "secrets"]],
    ["biplane approvals re", ["reject", "revoke"]],
    ["biplane serve --mo", ["--mode"]],
    ["biplane runs --ta", ["--tag"]],
    ["biplane serve --mode ", ["simulation", "production"]],
    ["biplane serve --mode=prod", ["production"]],
    ["biplane serve --env taxi --log-level w", ["warn"]],
    ["biplane serve --env frozen-lake,tax", ["frozen-lake,taxi"]],
    ["biplane rollout --agent gr", ["greedy"]],
    ["biplane rollout -n 5 --tool-style ", ["tools", "code"]],
    ["biplane token new --kind ", ["token", "trainer"]],
    ["biplane completion ", ["bash", "zsh", "fish"]],
    ["biplane help se", ["serve", "secrets"]],
    ["biplane serve to", ["tools.ts"]],
    ["biplane tools tax", ["taxi"]],
    ["biplane rollout tax", ["taxi"]],
    ["biplane replay last work", ["workspace"]],
    ["biplane rollout --export tr", ["traces"]],
    ["biplane tools -- npx ", []],
    ["biplane secrets set ", []],
  ])("%j offers %j", async (line, expected) => {
    expect((await offered(line)).toSorted()).toEqual(expected.toSorted());
  });

  test("the Tab key itself completes, at a terminal", needs("python3"), async () => {
    const shell = { command: "/bin/bash", args: ["--norc", "--noprofile", "-i"] };
    const { output } = await inTerminal(
      shell,
      [
        { see: "ready> ", type: `source '${join(folder, "biplane.bash")}'\r` },
        { see: "ready> ", type: "biplane approvals li\t--al\t" },
        { see: "biplane approvals list --all ", type: "\u0015biplane serve --mode=pr\t" },
        { see: "--mode=production ", type: "\u0015exit\r" },
      ],
      { environment: { PS1: "ready> ", INPUTRC: "/dev/null" } },
    );
    expect(output).toContain("biplane approvals list --all ");
    expect(output).toContain("--mode=production ");
  });

  test("every environment, pack and command is offered", async () => {
    expect(await offered("biplane serve --env ")).toEqual([...Object.keys(gallery), ...tau2Names]);
    expect(await offered("biplane serve --pack ")).toEqual(Object.keys(packs));
    expect(await offered("biplane ")).toEqual(places[0]?.subCommands.map(({ name }) => name));
  });

  test("runs are asked for when they are needed", async () => {
    expect(await offered("biplane show ")).toEqual([]);
    const words = ["rollout", "--env", "echo", "--agent", "random", "-n", "1", "--steps", "1"];
    expect((await runIn(folder, words)).code).toBe(0);
    const { stdout } = await runIn(folder, ["completion", "--words", "runs"]);
    const runs = stdout.trim().split("\n");
    expect(runs).toEqual(["last", expect.stringMatching(/^\d{8}-/)]);
    expect((await offered("biplane show ")).toSorted()).toEqual(runs.toSorted());
    expect(await offered("biplane replay la")).toEqual(["last"]);
    expect(await offered("biplane compare last 20")).toEqual([runs[1]]);
  });

  test("every option of every command is offered, and no other", async () => {
    const source = `source ./biplane.bash\n${places.map(({ path }) => `_biplane_options '${path}'; echo .`).join("\n")}`;
    const { stdout } = await runToEnd("bash", ["--norc", "-c", source], { cwd: folder });
    const answers = stdout.split(/^\.$/m).map((text) => text.trim().split(" "));
    for (const [at, { options }] of places.entries())
      expect(answers[at]).toEqual(options.flatMap(({ flags: spellings }) => spellings));
  });
});

test("the program prints what was tried here", async () => {
  const { stdout } = await runIn(folder, ["completion", "bash"]);
  expect(stdout).toBe(bashScript(places, names));
  const { code, stderr } = await runIn(folder, ["completion", "tcsh"]);
  expect([code, stderr]).toEqual([2, "biplane: Pass a shell: bash, zsh, fish.\n"]);
});

describe.each([
  ["zsh", zshScript(places, names), ["-n"]],
  ["fish", fishScript(places, names), ["--no-execute"]],
] as const)("in %s", (shell, script, check) => {
  test("every command and option is there, and every quote is closed", () => {
    for (const { subCommands: below, options } of places) {
      for (const { name } of below) expect(script).toContain(name);
      for (const { flags: spellings } of options)
        for (const each of spellings) expect(script).toContain(each.replace(/^-+/, ""));
    }
    const unquoted =
      shell === "fish"
        ? script.replaceAll(/'(?:[^'\\]|\\.)*'/gs, "")
        : script
            .replaceAll(/#.*$/gm, "")
            .replaceAll(String.raw`'\''`, "")
            .replaceAll(/'[^']*'/g, "");
    expect(unquoted.replaceAll(/#.*$/gm, "")).not.toContain("'");
  });

  test("the shell itself can read it", needs(shell), async () => {
    await writeFile(join(folder, `script.${shell}`), script);
    expect(await runToEnd(shell, [...check, `script.${shell}`], { cwd: folder })).toMatchObject({
      code: 0,
      stderr: "",
    });
  });
});
