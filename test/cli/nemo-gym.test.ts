import { mkdtemp, readFile, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { parse } from "yaml";
import { environment } from "biplane";
import { datasetRows } from "../../packages/biplane/src/cli/nemo-gym/rows.ts";
import { runHere } from "./command.ts";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "biplane-nemo-gym-"));
});
afterEach(() => rm(folder, { recursive: true }));

test("nemo-gym writes a config, a forwarding server and a dataset, once", async () => {
  const target = join(folder, "resources_servers", "lake");
  const words = ["nemo-gym", "frozen-lake", "-n", "3", "--folder", target, "--server", "https://gpu-1:8000/env/lake/"];
  const { code, stdout } = await runHere(...words);
  expect(code).toBe(0);
  expect(stdout).toContain(`Wrote 3 rows and their server to ${target}`);
  expect((await readdir(target, { recursive: true })).toSorted()).toEqual([
    "app.py",
    "configs",
    "configs/frozen_lake.yaml",
    "data",
    "data/train.jsonl",
    "requirements.txt",
  ]);
  const config: unknown = parse(await readFile(join(target, "configs/frozen_lake.yaml"), "utf8"));
  expect(config).toMatchObject({
    frozen_lake_resources_server: {
      resources_servers: { frozen_lake: { entrypoint: "app.py", biplane_url: "https://gpu-1:8000/env/lake" } },
    },
    frozen_lake_simple_agent: {
      responses_api_agents: {
        simple_agent: {
          resources_server: { type: "resources_servers", name: "frozen_lake_resources_server" },
          datasets: [{ name: "train", type: "train", jsonl_fpath: `${target}/data/train.jsonl` }],
        },
      },
    },
  });
  const lines = (await readFile(join(target, "data/train.jsonl"), "utf8")).trim().split("\n");
  expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject(
    [0, 1, 2].map((index) => ({ id: `seed_${index}`, split: "train", index })),
  );
  const again = await runHere(...words);
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining("already has app.py")]);
});

test("a row has the prompt, the tools and public fields, and never the answer", async () => {
  await using quiz = environment({
    name: "quiz",
    version: "1.0.0",
    config: { type: "object", properties: { answer: { type: "string" } } },
    start: ({ config }) => ({ answer: String(config["answer"]) }),
    observe: () => ({ question: "6 × 7?" }),
    tools: (tool) => ({
      guess: tool({
        description: "Guess",
        input: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
        run: () => "no",
      }),
    }),
    publicTaskFields: ["level"],
    tasks: {
      test: [
        {
          id: "a",
          config: { answer: "forty-two" },
          level: 3,
          system_prompt: "Be brief.",
          user_prompt_template: "{observation[question]}",
        },
      ],
    },
  });
  expect(await datasetRows(quiz, { split: "test", most: 10 })).toEqual([
    {
      id: "a",
      split: "test",
      index: 0,
      level: 3,
      responses_create_params: {
        input: [
          { role: "system", content: "Be brief." },
          { role: "user", content: "6 × 7?" },
        ],
        tools: [
          {
            type: "function",
            name: "guess",
            description: "Guess",
            parameters: expect.objectContaining({ required: ["text"], additionalProperties: false }),
            strict: false,
          },
        ],
        parallel_tool_calls: false,
      },
    },
  ]);
  expect(quiz.episodes.size).toBe(0);
  await expect(datasetRows(quiz, { split: "nope", most: 1 })).rejects.toThrow('Unknown split "nope"');
});

test.each([
  ["a server without episodes", ["workspace=."], "is a server without episodes"],
  ["an address that is none", ["frozen-lake", "--server", "gpu-1"], "--server must be a URL"],
  ["a split that does not exist", ["frozen-lake", "--split", "nope"], "Unknown split"],
  ["no rows", ["frozen-lake", "-n", "0"], "number"],
])("nemo-gym refuses %s", async (_, words, message) => {
  const { code, stderr } = await runHere("nemo-gym", ...words, "--folder", join(folder, "out"));
  expect(code).not.toBe(0);
  expect(stderr).toContain(message);
  expect(await readdir(folder)).toEqual([]);
});
