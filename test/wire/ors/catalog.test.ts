import { expect, test } from "vitest";
import { allow, environment } from "biplane";
import type { Environment, ServeOptions } from "biplane";
import { counter } from "../../environment/counter.ts";
import { stateless } from "../../environment/stateless.ts";
import { serveForTest } from "../../support/serve-for-test.ts";
import { OrsClient } from "./client.ts";

async function serve(environments: Environment[], options: ServeOptions = {}): Promise<OrsClient> {
  return new OrsClient(await serveForTest(environments, options));
}

/** Its config holds the answer. */
function quiz(): Environment {
  return environment({
    name: "Quiz",
    version: "2.1.0",
    config: { type: "object", properties: { answer: { type: "string" } } },
    start: ({ config }) => ({ answer: String(config["answer"]), given: "" }),
    observe: () => ({ question: "?" }),
    tools: (tool) => ({ guess: tool({ description: "Guess", run: (_, { state }) => void (state.given = "x") }) }),
    reward: () => 0,
    tasks: {
      train: [
        { id: "easy", config: { answer: "forty-two" }, level: 1, solution: "forty-two" },
        { config: { answer: "seven" }, level: 2 },
      ],
      holdout: async () => [{ id: "hard", config: { answer: "nine" } }],
    },
    publicTaskFields: ["level"],
  });
}

function plain(): Environment {
  return stateless({
    name: "plain",
    tools: (tool) => ({ go: tool({ run: () => "went" }) }),
  });
}

test("the server says what it is and which environments it has", async () => {
  const client = await serve([quiz(), plain()]);
  expect((await client.get("/ors/health")).body).toEqual({ status: "ok" });
  expect((await client.get("/health")).body).toEqual({ status: "healthy" }); // OpenEnv's
  expect((await client.get("/version")).body).toEqual({ version: "2.1.0", build_sha: null });
  expect((await client.get("/list_environments")).body).toEqual(["Quiz", "plain"]);
  expect((await client.get("/env/plain/list_environments")).body).toEqual(["plain"]);
});

test("tasks have a place, an id and public fields, and never the answer", async () => {
  const client = (await serve([quiz()])).in("throw-away");
  for (const base of ["/quiz", "/Quiz", "", "/ors/quiz", "/env/Quiz/quiz"]) {
    expect((await client.get(`${base}/splits`)).body).toEqual([
      { name: "train", type: "train" },
      { name: "holdout", type: "validation" },
    ]);
    expect((await client.post(`${base}/num_tasks`, { split: "train" })).body).toEqual({ num_tasks: 2 });
    const easy = { id: "easy", split: "train", index: 0, level: 1 };
    const second = { id: "task_1", split: "train", index: 1, level: 2 };
    expect((await client.post(`${base}/task`, { split: "train", index: 0 })).body).toEqual({
      task: easy,
      env_name: "quiz",
    });
    const tasks = { tasks: [easy, second], env_name: "quiz" };
    expect((await client.post(`${base}/tasks`, { split: "train" })).body).toEqual(tasks);
    expect((await client.post(`${base}/task_range`, { split: "train" })).body).toEqual(tasks);
    for (const range of [{ start: -1 }, { start: 1, stop: 9 }, { start: 1, stop: null }])
      expect((await client.post(`${base}/task_range`, { split: "train", ...range })).body).toEqual({
        tasks: [second],
        env_name: "quiz",
      });
  }
  const seen = await client.post("/quiz/tasks", { split: "holdout" });
  expect(seen.text).not.toMatch(/nine|answer|config|solution/);
});

test("OpenEnv's task API has the same paths without X-Session-ID", async () => {
  const client = await serve([counter()]);
  expect((await client.post("/counter/task", { split: "train", index: 0 })).body).toEqual({
    task: { id: "short", seed: 1, config: { goal: 2 } },
  });
  expect((await client.post("/ors/counter/task", { split: "train", index: 0 })).body).toEqual({
    task: { id: "short", split: "train", index: 0 },
    env_name: "counter",
  });
});

test("an environment without tasks offers seeds", async () => {
  const client = (await serve([plain()])).in("throw-away");
  expect((await client.get("/plain/splits")).body).toEqual([
    { name: "train", type: "train" },
    { name: "test", type: "test" },
  ]);
  expect((await client.post("/plain/num_tasks", { split: "train" })).body).toEqual({ num_tasks: 1000 });
  expect((await client.post("/plain/task", { split: "test", index: 3 })).body).toMatchObject({
    task: { id: "seed_1003", split: "test", index: 3 },
  });
});

test("every tool is listed with its schema", async () => {
  const client = (await serve([quiz(), counter()])).in("throw-away");
  expect((await client.get("/quiz/tools")).body).toEqual({
    tools: [{ name: "guess", description: "Guess", input_schema: expect.objectContaining({ type: "object" }) }],
    terminal_tool: null,
    supports_score_group: false,
    message_block_types: ["text", "image"],
  });
  const names = ({ body }: { body: unknown }) => (body as { tools: { name: string }[] }).tools.map(({ name }) => name);
  expect(names(await client.get("/counter/tools"))).toContain("add");
  // The deployment that a client was made for chooses the environment of bare paths.
  expect(names(await client.as({ "x-deployment": "me/Counter" }).get("/tools"))).toContain("add");
  expect(names(await client.as({ "x-deployment": "unknown" }).get("/tools"))).toEqual(["guess"]);
});

test.each([
  ["an unknown split", "/task", { split: "nope", index: 0 }, 400, "Invalid split"],
  ["no split", "/num_tasks", {}, 400, "Invalid split"],
  ["an inherited name as a split", "/tasks", { split: "constructor" }, 400, "Invalid split"],
  ["an index beyond the end", "/task", { split: "train", index: 2 }, 400, "Invalid index"],
  ["an index that is no integer", "/task", { split: "train", index: "0" }, 400, "Invalid index"],
  ["a bound that is no integer", "/task_range", { split: "train", start: 0.5 }, 400, "Invalid index"],
  ["an unknown environment", "/zzz/tools", undefined, 404, "unknown environment 'zzz'"],
  ["group scores", "/score_group", { candidates: [] }, 404, "score_group is not supported"],
])("%s is refused as ORS does", async (_, path, body, status, detail) => {
  const client = (await serve([quiz()])).in("throw-away");
  const answer = body === undefined ? await client.get(path) : await client.post(path, body);
  expect(answer).toMatchObject({ status, body: { detail } });
});

test("a field that ORS does not know is refused, and a wrong method too", async () => {
  const client = (await serve([quiz()])).in("throw-away");
  expect(await client.post("/quiz/task", { split: "train", index: 0, extra: 1 })).toMatchObject({
    status: 422,
    body: { detail: [{ type: "extra_forbidden", loc: ["body", "extra"], input: 1 }] },
  });
  const wrong = await client.get("/quiz/num_tasks");
  expect(wrong).toMatchObject({ status: 405, body: { detail: "Method Not Allowed" } });
  expect(wrong.headers.get("allow")).toBe("POST");
});

test("an environment in production is not there, at the root of others neither", async () => {
  const live = plain().govern({ mode: "production", policies: [() => allow()] });
  const client = (await serve([quiz(), live])).in("throw-away");
  expect((await client.get("/list_environments")).body).toEqual(["Quiz"]);
  expect((await client.get("/plain/tools")).status).toBe(404);
  for (const path of ["/tools", "/list_environments", "/ors/health"])
    expect([path, (await client.get(`/env/plain${path}`)).status]).toEqual([path, 404]);
  expect((await client.post("/env/plain/create", { split: "train", index: 0 })).status).toBe(404);
});
