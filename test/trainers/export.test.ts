import { mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gallery } from "@biplane/gallery";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runHere } from "../cli/command.ts";

let folder: string;
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), "biplane-trainers-"))));
afterAll(() => rm(folder, { recursive: true }));

const commands = {
  verifiers: ["verifiers", "init"],
  "inspect-ai": ["inspect-ai"],
  harbor: ["harbor", "init"],
} as const;
const read = (...path: string[]) => readFile(join(folder, ...path), "utf8");
const linesOf = (text: string) =>
  text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe.each(Object.entries(commands))("biplane %s", (name, words) => {
  test("writes its files, refuses to overwrite them, and overwrites them with --force", async () => {
    const target = join(folder, `${name}-again`);
    const write = (...more: string[]) => runHere(...words, "frozen-lake", "-n", "2", "--folder", target, ...more);
    const first = await write();
    expect([first.code, first.stderr]).toEqual([0, ""]);
    expect(first.stdout).toMatch(/^Wrote to .*:\n\n(  .*\n)+\nNext:\n\n/);
    const files = await filesIn(target);
    expect(files.length).toBeGreaterThan(1);
    const [some = ""] = files;
    await writeFile(join(target, some), "changed");
    const second = await write();
    expect(second.code).toBe(1);
    expect(second.stderr).toMatch(
      /already has .*\. Nothing was written\. Use another --folder, or --force to overwrite\./,
    );
    expect(await read(`${name}-again`, some)).toBe("changed");
    expect((await write("--force")).code).toBe(0);
    expect(await read(`${name}-again`, some)).not.toBe("changed");
    expect(await filesIn(target)).toEqual(files);
  });

  test("says what it takes", async () => {
    const { code, stdout } = await runHere("help", ...words);
    expect(code).toBe(0);
    expect(stdout).toContain("--folder");
    expect(stdout).toContain(`biplane ${words.join(" ")} frozen-lake`);
  });

  test("refuses a target that is none, and one without episodes", async () => {
    const { code, stderr } = await runHere(...words, "frozen-lak");
    expect([code, stderr]).toEqual([2, expect.stringContaining("Did you mean frozen-lake?")]);
    const notes = await runHere(...words, `workspace=${folder}`);
    expect([notes.code, notes.stderr]).toEqual([2, expect.stringMatching(/is not an environment|in a container/)]);
  });
});

test("a package for verifiers has a row per task, with its seed, its config and the first observation", async () => {
  await writeFile(
    join(folder, "rows.jsonl"),
    [7, 8]
      .map((seed) => ({
        id: `lake "${seed}"`,
        system_prompt: "Reach G.",
        user_prompt_template: "You see {observation[position]}",
        environment_context: { seed, map_name: "8x8" },
      }))
      .map((row) => `${JSON.stringify(row)}\n`)
      .join(""),
  );
  const target = join(folder, "lake");
  const server = "http://gpu-1:9000/env/frozen-lake/";
  const words = ["--rows", join(folder, "rows.jsonl"), "--folder", target, "--server", server];
  const { code } = await runHere("verifiers", "init", "frozen-lake", ...words);
  expect(code).toBe(0);
  expect(await filesIn(target)).toEqual([
    "README.md",
    "eval.toml",
    "frozen_lake/__init__.py",
    "frozen_lake/tasks.jsonl",
    "frozen_lake/taskset.py",
    "frozen_lake/toolset.py",
    "pyproject.toml",
  ]);
  expect(linesOf(await read("lake", "frozen_lake", "tasks.jsonl"))).toEqual(
    [7, 8].map((seed) => ({
      id: `lake "${seed}"`,
      name: `lake "${seed}"`,
      seed,
      episode_config: { map_name: "8x8" },
      system_prompt: "Reach G.",
      prompt: "You see 0",
    })),
  );
  expect(await read("lake", "frozen_lake", "taskset.py")).toContain(
    'DEFAULT_URL = "http://gpu-1:9000/env/frozen-lake"\n',
  );
});

test("a task for Inspect AI has a sample per row", async () => {
  await runHere("inspect-ai", "taxi", "-n", "2", "--seed", "5", "--system", "Drive.", "--folder", join(folder, "taxi"));
  const samples = linesOf(await read("taxi", "taxi.jsonl"));
  expect(samples.map(({ id, metadata }) => [id, metadata])).toEqual([
    ["seed_5", { seed: 5, config: {} }],
    ["seed_6", { seed: 6, config: {} }],
  ]);
  expect(samples[0]?.["input"]).toEqual([
    { role: "system", content: "Drive." },
    { role: "user", content: expect.stringContaining("grid_layout") },
  ]);
});

test("an environment of a server is named as the server names it, and its URL is the trainer's", async () => {
  await using lake = gallery["frozen-lake"]();
  const { url } = await lake.serve({
    url: "http://127.0.0.1:0",
    authenticate: ({ headers }) =>
      headers["authorization"] === "Bearer tr" ? { kind: "trainer", id: "gpu", scopes: [] } : undefined,
  });
  const target = join(folder, "remote");
  const refused = await runHere("inspect-ai", url, "--folder", target);
  expect(refused.code).toBe(1);
  const { code } = await runHere("inspect-ai", `${url}/`, "--bearer", "tr", "--folder", target);
  expect([code, await filesIn(target)]).toEqual([0, ["frozen_lake.jsonl", "frozen_lake.py"]]);
  expect(await read("remote", "frozen_lake.py")).toContain(`os.environ.get("BIPLANE_URL", "${url}")`);
});

test("rows with the same id are refused", async () => {
  const rows = `${JSON.stringify({ id: "a", system_prompt: "", user_prompt_template: "" })}\n`.repeat(2);
  await writeFile(join(folder, "same.jsonl"), rows);
  const { code, stderr } = await runHere("inspect-ai", "taxi", "--rows", join(folder, "same.jsonl"));
  expect([code, stderr]).toEqual([1, 'biplane: Two rows have the id "a". Give each its own.\n']);
});

describe("tasks for Harbor", () => {
  test("have a container with one episode, and a score that only that container can read", async () => {
    await runHere("harbor", "init", "frozen-lake", "-n", "2", "--seed", "3", "--folder", join(folder, "tasks"));
    expect(await readdir(join(folder, "tasks"))).toEqual(["frozen-lake-seed-3", "frozen-lake-seed-4"]);
    const task = (...path: string[]) => read("tasks", "frozen-lake-seed-3", ...path);
    const config = await task("task.toml");
    expect(config).toContain('name = "biplane/frozen-lake-seed-3"');
    expect(config).toContain('url = "http://biplane:8000/e/task/mcp"');
    expect(config).toContain('environment_mode = "separate"');
    expect(await task("environment", "docker-compose.yaml")).toContain(
      String.raw`"harbor","serve","frozen-lake","--episode","{\"seed\":3,\"config\":{}}"]`,
    );
    expect(await task("instruction.md")).toContain("position");
    expect(await task("tests", "test.sh")).toMatch(/^#!\/bin\/sh\n/);
  });

  test("of a module need an image", async () => {
    const { code, stderr } = await runHere("harbor", "init", "./environment.ts");
    expect([code, stderr]).toEqual([2, expect.stringContaining("A module needs --image")]);
  });

  test("are not written for a server elsewhere", async () => {
    const { code, stderr } = await runHere("harbor", "init", "http://127.0.0.1:8000");
    expect([code, stderr]).toEqual([2, expect.stringContaining("Harbor starts the environment in a container.")]);
  });
});

async function filesIn(target: string): Promise<string[]> {
  const found = await readdir(target, { recursive: true, withFileTypes: true });
  return found
    .filter((each) => each.isFile())
    .map((each) => join(each.parentPath, each.name).slice(target.length + 1))
    .toSorted();
}
