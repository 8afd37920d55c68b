// OpenEnv's validation and catalogue read the packages of `biplane openenv`: openenv-package.mjs URL HOME
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gallery } from "@biplane/gallery";
import { runCli } from "../packages/biplane/src/cli/command/run-cli.ts";
import { check, program, run } from "./trainer-checks.mjs";

const [url, home] = process.argv.slice(2);
const work = `${home}-work`;
rmSync(work, { recursive: true, force: true });
mkdirSync(work, { recursive: true });
const names = Object.keys(gallery);
/** OpenEnv requires a number as the reward of each step. */
const unrewarded = ["echo", "waiting"];
const openenv = program(home, "openenv");

await check("`biplane openenv` writes a package for every built-in environment", async () => {
  await git("init", "--quiet");
  for (const name of names) await runCli(["openenv", name, "--folder", join(work, "envs", name)]);
  await git("add", ".");
  const author = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com"];
  await git(...author, "commit", "--quiet", "--message", "Add environments");
  return `${names.length} packages`;
});

await check("`openenv validate` passes a package at the static level", async () => {
  const { code, output } = await run(openenv, ["validate", join(work, "envs", "wordle"), "--level", "static"]);
  assert.equal(code, 0, output.slice(-400));
  assert.match(output, /PASS\s+static\.manifest/);
});

await check("`openenv catalog build` makes an Environment Card of every package, without an issue", async () => {
  const catalogue = join(work, "catalog.json");
  const repository = ["--repository", work, "--repository-uri", "https://github.com/example/environments.git"];
  const words = ["catalog", "build", ...repository, "--publisher", "example.com", "--output", catalogue];
  const { code, output } = await run(openenv, words);
  assert.equal(code, 0, output);
  const { entries, issues, complete } = JSON.parse(readFileSync(catalogue, "utf8"));
  assert.deepEqual([complete, issues, entries.length], [true, [], names.length]);
  for (const { data, capabilities } of entries) {
    const roles = data.interfaces.map(({ role }) => role);
    assert.deepEqual([data.license, roles], ["Apache-2.0", ["orchestration", "agent-tools"]]);
    assert.ok(capabilities.length > 0);
  }
  return `${entries.length} cards`;
});

await check(
  "OpenEnv's own graders accept the manifest, rewards, observations and states of every environment",
  async () => {
    const script = fileURLToPath(new URL("python/openenv_graders.py", import.meta.url));
    const { code, stdout, output } = await run(program(home, "python"), [script, url, join(work, "envs"), ...names]);
    assert.equal(code, 0, output.slice(-500));
    const graded = JSON.parse(stdout);
    const failed = Object.entries(graded).flatMap(([name, results]) =>
      results.filter(({ status }) => status !== "pass").map(({ check_id: id }) => `${name} ${id}`),
    );
    assert.deepEqual(
      failed,
      names.filter((name) => unrewarded.includes(name)).map((name) => `${name} runtime.reward_well_formed`),
      output.slice(-800),
    );
    return `${names.length} environments; ${unrewarded.join(" and ")} have no rewards`;
  },
);

async function git(...words) {
  const { code, output } = await run("git", ["-C", work, ...words]);
  assert.equal(code, 0, output);
}
