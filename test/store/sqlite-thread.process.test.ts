import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { openStore } from "biplane/store";
import { runToEnd } from "../support/project.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const library = new URL("../../packages/biplane/dist/store.js", import.meta.url).href;

test("while a store in a file is busy, other work goes on", async () => {
  await using folder = await temporaryFolder();
  await using store = await openStore(join(folder.path, "store.db"));
  const counted = sql<{
    total: number;
  }>`with recursive each (n) as (select 1 union all select n + 1 from each limit 300000)
    select count(*) as total from each`.execute(store.db);
  let turns = 0;
  while ((await Promise.race([counted, turn("busy")])) === "busy") turns++;
  expect((await counted).rows).toEqual([{ total: 300_000 }]);
  expect(turns).toBeGreaterThan(10);
});

test("statements of a transaction have the connection for themselves", async () => {
  await using folder = await temporaryFolder();
  await using store = await openStore(join(folder.path, "store.db"));
  const failing = store.db.transaction().execute(async (transaction) => {
    await sql`insert into records (collection, key, json) values ('a', 'half', '{}')`.execute(transaction);
    throw new Error("not today");
  });
  const [outside] = await Promise.allSettled([store.put("a", "whole", {}), failing]);
  expect(outside.status).toBe("fulfilled");
  expect((await store.list("a")).map(([key]) => key)).toEqual(["whole"]);
});

test("a program that leaves its store open ends", async () => {
  await using folder = await temporaryFolder();
  const script = `
    import { openStore } from ${JSON.stringify(library)};
    const store = await openStore("store.db");
    await store.put("a", "b", { c: 1 });
    console.log(JSON.stringify(await store.get("a", "b")));
  `;
  const ended = await runToEnd(process.execPath, ["--input-type=module", "-e", script], { cwd: folder.path });
  expect(ended).toEqual({ code: 0, stdout: '{"c":1}\n', stderr: "" });
});
