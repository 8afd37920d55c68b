import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { environment } from "biplane";
import fc from "fast-check";
import { expect, test } from "vitest";
import { scriptedAgent } from "../../packages/biplane/src/rollout/agent/scripted.ts";
import { messagesForModel } from "../../packages/biplane/src/rollout/message.ts";
import { readPythonJson } from "../../packages/biplane/src/rollout/python/json.ts";
import { pythonRepr, pythonStr, pythonToolText } from "../../packages/biplane/src/rollout/python/text.ts";
import { readRows } from "../../packages/biplane/src/rollout/data/read-rows.ts";
import { parseRows, readRow, rowLine, setupOf, taskRows } from "../../packages/biplane/src/rollout/row.ts";
import { evalSessionId } from "../../packages/biplane/src/rollout/session-id.ts";
import { fillTemplate } from "../../packages/biplane/src/rollout/template.ts";
import { playAll } from "./playing.ts";

const text = readFileSync(new URL("data/python-vectors.json", import.meta.url), "utf8");
const vectors = readPythonJson(text) as {
  gen_session_id: { seed: number; config: object; dataset_row_id: string; model_id: string; session_id: string }[];
  python_str_of_observation: { value: unknown; str: string }[];
  json_dumps_tool_response: string[];
};

test("session ids of rows are those of Eval Protocol", () => {
  for (const { seed, config, dataset_row_id: rowId, model_id: modelId, session_id: id } of vectors.gen_session_id)
    expect(evalSessionId({ seed, config, rowId, modelId })).toBe(id);
});

test("observations print as they do in Python", () => {
  for (const [at, { value, str }] of vectors.python_str_of_observation.entries()) {
    expect(pythonStr(value)).toBe(str);
    expect(pythonToolText(value)).toBe(vectors.json_dumps_tool_response[at]);
  }
});

test.each([
  [`{"a":1.0,"b":[true,null,1e16,1e-5]}`, `{'a': 1.0, 'b': [True, None, 1e+16, 1e-05]}`],
  [`"it's"`, `"it's"`],
  [`"it's \\"so\\""`, String.raw`'it\'s "so"'`],
  [`"é\\u00a0\\u200b\\ud83d\\ude00\\t"`, String.raw`'é\xa0\u200b😀\t'`],
  [`{"nested":{"k":[]}}`, `{'nested': {'k': []}}`],
])("%s is %s in Python", (json, repr) => {
  expect(pythonRepr(readPythonJson(json))).toBe(repr);
});

test("a row's floats count in its session's id as Python's do, though JavaScript knows no 2.0", () => {
  const line = (number: string) =>
    `{"messages":[],"input_metadata":{"row_id":"r","dataset_info":{"environment_context":{"seed":1,"x":${number}}}}}`;
  const idOf = (number: string) => {
    const [row = expect.fail()] = parseRows(line(number));
    const [again = expect.fail()] = parseRows(rowLine(row)); // as a worker reads it
    const ids = [row, again].map((each) => {
      const { seed, exactContext: config, id: rowId } = setupOf(each, 0);
      return evalSessionId({ seed, config, rowId, modelId: "m" });
    });
    expect(ids[1]).toBe(ids[0]);
    return ids[0];
  };
  expect(idOf("2.0")).not.toBe(idOf("2"));
  expect(idOf("2.0")).toBe(idOf("2.00"));
});

test("fields that we do not know go through a rollout unchanged", async () => {
  await using nothing = sayer();
  await fc.assert(
    fc.asyncProperty(
      fc.dictionary(fc.stringMatching(/^x_[a-z]{1,5}$/), fc.jsonValue()),
      fc.jsonValue(),
      async (more, truth) => {
        const row = {
          messages: [{ role: "user", content: "Hi", ...more, weight: 1 }],
          ground_truth: truth,
          ...more,
          input_metadata: { row_id: "a", dataset_info: { ...more }, session_data: more },
        };
        const [read] = parseRows(JSON.stringify(row));
        expect(read).toEqual(JSON.parse(JSON.stringify(row)));
        const [played] = await playAll(nothing, [read ?? expect.fail()], { agent: scriptedAgent(["Bye"]) });
        const {
          messages,
          input_metadata: metadata,
          ...rest
        } = JSON.parse(JSON.stringify(played)) as { messages: unknown[]; [field: string]: unknown };
        const plain = JSON.parse(JSON.stringify(row)) as typeof row;
        expect(messages[0]).toEqual(plain.messages[0]);
        expect(metadata).toMatchObject(plain.input_metadata);
        for (const key of Object.keys(more)) expect(rest[key]).toEqual((plain as Record<string, unknown>)[key]);
        expect(rest["ground_truth"]).toEqual(JSON.parse(JSON.stringify(truth)));
        expect(rest["trace"]).toBeUndefined();
      },
    ),
    { numRuns: 20 },
  );
});

test("a bad line of a file is named", async () => {
  const folder = await mkdtemp(join(tmpdir(), "biplane-rows-"));
  const file = join(folder, "rows.jsonl");
  await writeFile(file, '{"messages":[]}\n\n{"id":"a","system_prompt":"s","user_prompt_template":"t"}\n{"id":1}\n');
  await expect(readRows(file)).rejects.toThrow(
    `${file}, line 4: A row needs messages, or id, system_prompt and user_prompt_template`,
  );
  await writeFile(file, "nonsense");
  await expect(readRows(file)).rejects.toThrow("line 1");
  await rm(folder, { recursive: true });
});

test.each([[[]], [null], [{ messages: "no" }], [{ messages: [{ content: "no role" }] }]])("%j is no row", (value) => {
  expect(() => readRow(value)).toThrow(/A row/);
});

test("rows come from an environment's tasks", async () => {
  await using tasks = sayer();
  const rows = await taskRows(tasks, "train");
  expect(rows.map((row, at) => setupOf(row, at)).map(({ id, seed, context }) => [id, seed, context])).toEqual([
    ["first", 3, { level: 2, seed: 3 }],
    ["task_1", 0, { seed: 0 }],
  ]);
  await expect(taskRows(tasks, "test")).rejects.toThrow('Unknown split "test". Known splits: train');
});

test("templates take the observation, what is in it, and any key of the context", () => {
  const values = { observation: { grid: "SF", at: 0 }, name: "Ada", list: [1] };
  const fill = (template: string) => fillTemplate(template, values, "json");
  expect(fill("{name}: {observation[grid]} {observation} {list} {{x}}")).toBe('Ada: SF {"grid":"SF","at":0} [1] {x}');
  expect(fillTemplate("{observation} {name!r}", values, "python")).toBe("{'grid': 'SF', 'at': 0} 'Ada'");
  for (const bad of ["{nobody}", "{observation[nothing]}", "{name:>10}", "{", "}", "{}"])
    expect(() => fill(bad)).toThrow(/user_prompt_template/);
});

test("a model sees nothing of rewards and endings", () => {
  const seen = messagesForModel([
    {
      role: "tool",
      content: "x",
      tool_call_id: "1",
      metadata: { reward: 1 },
      control_plane_step: {} as never,
      secret: 1,
    },
  ]);
  expect(seen).toEqual([{ role: "tool", content: "x", tool_call_id: "1" }]);
});

function sayer() {
  return environment({
    name: "sayer",
    version: "1.0.0",
    start: () => ({}),
    observe: () => "hello",
    tools: (tool) => ({ say: tool({ run: () => "hello" }) }),
    tasks: { train: [{ id: "first", seed: 3, config: { level: 2 } }, { seed: 0 }] },
  });
}
