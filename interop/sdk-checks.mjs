// What every agent SDK for JavaScript must manage against our server. An SDK's own file says how it connects, lists and
// calls. Each line of output is a check, as in the Python scripts.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [server, home] = process.argv.slice(2);
const solution = ["DOWN", "DOWN", "RIGHT", "RIGHT", "DOWN", "RIGHT"]; // for seed 42

/** Imports a package from the folder into which it was downloaded. */
export function importDownloaded(name) {
  const { resolve } = createRequire(join(home, "index.js"));
  return import(pathToFileURL(resolve(name)).href);
}

/** Runs the checks. `connect(url)` returns a client with `list()`, `call(name, input)` and `close()`. */
export async function runSdk(connect) {
  const using = async (url, work) => {
    const client = await connect(url);
    try {
      return await work(client);
    } finally {
      await client.close();
    }
  };
  const till = `${server}/env/till/mcp`;

  await check("It connects and lists the tools", () =>
    using(till, async (client) => {
      assert.deepEqual((await client.list()).sort(), ["broken", "forbidden", "late", "refund"]);
    }),
  );
  await check("It plays an episode, and the reward is that of the same moves in process", async () => {
    const lake = `${server}/env/frozen-lake`;
    const { id } = await post(`${lake}/control/episodes`, { seed: 42 });
    try {
      await using(`${lake}/e/${id}/mcp`, async (client) => {
        assert.deepEqual(await client.list(), ["lake_move"]);
        let reply;
        for (const action of solution) {
          reply = await client.call("lake_move", { action });
          assert.ok(!reply.isError, reply.text);
        }
        assert.equal(dataOf(reply).position, 15);
        assert.ok((await client.call("lake_move", { action: "LEFT" })).isError, "a call after the end");
      });
      const played = await (await fetch(`${lake}/control/episodes/${id}`)).json();
      assert.deepEqual([played.total_reward, played.terminated, played.step_count], [1, true, 6]);
    } finally {
      await fetch(`${lake}/control/episodes/${id}`, { method: "DELETE" });
    }
  });
  await check("It reads that a call waits for approval, and gets the structured result after it", () =>
    using(till, async (client) => {
      await client.list();
      const asked = await client.call("refund", { amount: 300 });
      assert.ok(asked.isError && asked.text.includes("Refund 300?"), asked.text);
      const [, approval] = asked.text.match(/approval ([0-9a-f]+)/) ?? [];
      await post(`${server}/env/person/mcp/execute`, { tool: "approve", arguments: { id: approval } });
      const reply = await client.call("refund", { amount: 300 });
      assert.ok(!reply.isError, reply.text);
      assert.deepEqual(dataOf(reply), { refunded: 300 });
    }),
  );
  await check("It reads why a call was refused, and why a tool failed", () =>
    using(till, async (client) => {
      await client.list();
      for (const [tool, why] of [
        ["forbidden", "Nobody may call this tool"],
        ["broken", "kaput"],
      ]) {
        const reply = await client.call(tool, {});
        assert.ok(reply.isError && reply.text.includes(why), reply.text);
      }
    }),
  );
}

function dataOf({ text, value }) {
  return value ?? JSON.parse(text);
}

async function post(url, body) {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return response.json();
}

export async function check(title, work) {
  try {
    await work();
    say({ check: title, result: "ok" });
  } catch (error) {
    console.error(error);
    say({ check: title, result: "fail", note: String(error.message).slice(0, 500) });
  }
}

function say(line) {
  console.log(JSON.stringify(line));
}
