import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { openStore } from "biplane/store";
import { linkLines } from "../../packages/biplane/src/store/audit-chain.ts";
import { auditLogOf } from "../../packages/biplane/src/store/audit-log.ts";
import { describeEngines } from "../support/each-engine.ts";

describeEngines("records", ({ open, location }) => {
  test("are kept by collection and key, and listed in order", async () => {
    const store = await open();
    await store.put("a", "2", { n: 2 });
    await store.put("a", "1", { n: 1 });
    await store.put("b", "1", { other: true });
    await store.put("a", "2", { n: 22 });
    expect(await store.get("a", "2")).toEqual({ n: 22 });
    expect(await store.get("a", "3")).toBeUndefined();
    expect(await store.list("a")).toEqual([
      ["1", { n: 1 }],
      ["2", { n: 22 }],
    ]);
    expect(await store.list("a", { after: "1", limit: 1 })).toEqual([["2", { n: 22 }]]);
    expect(await store.delete("a", "1")).toBe(true);
    expect(await store.delete("a", "1")).toBe(false);
  });

  test("keep any JSON, and any key in the order of its code points", async () => {
    const store = await open();
    const odd = { text: "a\0b \ud800 é 😀 \u2028", __proto__: null, nested: [[{}]], big: 1e308, none: null };
    for (const key of ["b", "B", "ä", "a", "Z", "😀", "1", "_", " ", "'"]) await store.put("odd", key, odd);
    const listed = await store.list("odd");
    expect(listed.map(([key]) => key)).toEqual([" ", "'", "1", "B", "Z", "_", "a", "b", "ä", "😀"]);
    for (const [, record] of listed) expect(record).toEqual({ ...odd });
  });

  test("refuse a key with a NUL, which SQLite would cut", async () => {
    const store = await open();
    await store.put("a", "key", { n: 1 });
    const refusal = { code: "INVALID_INPUT", message: expect.stringContaining("NUL") as string };
    await expect(store.get("a", "key\0other")).rejects.toMatchObject(refusal);
    await expect(store.put("a", "key\0other", { n: 2 })).rejects.toMatchObject(refusal);
    await expect(store.delete("a", "key\0other")).rejects.toMatchObject(refusal);
    expect(await store.get("a", "key")).toEqual({ n: 1 });
  });

  test("change one after the other, however many connections change them", async () => {
    const at = await location();
    const stores = [await open(at), await open(at), await open(at)];
    const add = (store: (typeof stores)[number]) =>
      store.change("counters", "one", (record) => ({ n: Number(record?.["n"] ?? 0) + 1 }));
    await Promise.all(Array.from({ length: 60 }, (_, n) => add(stores[n % 3] as (typeof stores)[number])));
    expect(await stores[0]?.get("counters", "one")).toEqual({ n: 60 });
    const [first] = stores;
    expect(await first?.change("counters", "one", () => undefined)).toEqual({ n: 60 });
    expect(await first?.change("counters", "two", () => undefined)).toBeUndefined();
    await expect(
      first?.change("counters", "one", () => {
        throw new Error("no");
      }),
    ).rejects.toThrow("no");
    expect(await first?.get("counters", "one")).toEqual({ n: 60 });
  });

  test("are there for the next process, even after a kill", async () => {
    const at = await location();
    const script = `await store.put("kept", "key", { value: "here" }); process.kill(process.pid, "SIGKILL");`;
    await expect(run(at, script)).rejects.toMatchObject({ signal: "SIGKILL" });
    expect(await (await open(at)).get("kept", "key")).toEqual({ value: "here" });
  });
});

describeEngines("the audit log", ({ open, location }) => {
  test("numbers its lines from 1 and reads them in order", async () => {
    const { audit } = await open();
    expect(await audit.last()).toBeUndefined();
    await audit.append("one\ntwo");
    await audit.append("");
    await audit.append("three");
    const lines = linkLines(["one", "two", "three"], undefined).map((line, at) => ({ sequence: at + 1, line }));
    expect(await audit.read()).toEqual(lines);
    expect(await audit.read({ after: 1, limit: 1 })).toEqual([lines[1]]);
    expect(await audit.last()).toEqual(lines[2]);
  });

  test("does not append again what was committed by a try whose answer was lost", async () => {
    const { audit } = await open();
    await audit.append("one");
    const attempt = {};
    await audit.append("two\nthree", attempt);
    await audit.append("from another process");
    await audit.append("two\nthree", attempt);
    await audit.append("two\nthree");
    expect((await audit.read()).map(({ line }) => line.split(",", 1)[0])).toEqual([
      "one",
      "two",
      "three",
      "from another process",
      "two",
      "three",
    ]);
  });

  test("searches only what was appended since, if the first try of a process failed", async () => {
    const store = await open();
    const { audit } = store;
    await audit.append("one\ntwo");
    const restarted = auditLogOf(store);
    const attempt: { after?: number } = {};
    await restarted.append("three", attempt);
    if (store.engine === "sqlite") expect(attempt.after).toBe(2);
    await restarted.append("three", attempt);
    expect(await audit.read()).toHaveLength(3);
  });

  test("reads backwards, and the lines of one tool", async () => {
    const { audit } = await open();
    const tools = ["add", "find", 'say "é"', "add", "x".repeat(300), "add", "ad"];
    const lines = tools.map((tool) => JSON.stringify({ kind: "call", tool, input: { tool: "find" } }).slice(0, -1));
    await audit.append([...lines, "no JSON"].join("\n"));
    const sequences = async (options: Parameters<typeof audit.read>[0]) =>
      (await audit.read(options)).map(({ sequence }) => sequence);
    expect(await sequences({ order: "newest", after: 4, limit: 2 })).toEqual([3, 2]);
    expect(await sequences({ tool: "add" })).toEqual([1, 4, 6]);
    expect(await sequences({ tool: "add", order: "newest", after: 6 })).toEqual([4, 1]);
    expect(await sequences({ tool: "find" })).toEqual([2]);
    expect(await sequences({ tool: 'say "é"' })).toEqual([3]);
    expect(await sequences({ tool: "absent" })).toEqual([]);
    expect(await sequences({ tool: "x".repeat(300) })).toContain(5);
  });

  test("finds the lines of rare and of usual tools, from any line on, also after a cut", async () => {
    const { audit } = await open();
    const toolOf = (sequence: number) => (sequence % 500 === 3 ? "rare" : sequence % 7 === 0 ? "some" : "usual");
    const all = Array.from({ length: 1500 }, (_, at) => at + 1);
    for (let from = 0; from < all.length; from += 250) {
      const lines = all.slice(from, from + 250).map((sequence) => `{"tool":"${toolOf(sequence)}"`);
      await audit.append(lines.join("\n"));
    }
    const check = async (first: number) => {
      for (const tool of ["rare", "some", "usual"])
        for (const order of ["oldest", "newest"] as const)
          for (const after of [undefined, 128, 1003])
            for (const limit of [40, 2000]) {
              const found = (await audit.read({ tool, order, after, limit })).map(({ sequence }) => sequence);
              const isAfter = (sequence: number) =>
                after === undefined || (order === "oldest" ? sequence > after : sequence < after);
              const expected = all.filter((each) => each >= first && toolOf(each) === tool && isAfter(each));
              if (order === "newest") expected.reverse();
              expect(found, `${tool}, ${order}, after ${after}, ${limit}`).toEqual(expected.slice(0, limit));
            }
    };
    await check(1);
    await audit.cut({ first: 1, through: 300, hash: "", file: "" });
    await check(301);
  });

  test("appends all lines or none", async () => {
    const { audit } = await open();
    await audit.append("kept");
    for (const line of ["a\0b", "half a character: \ud83d"])
      await expect(audit.append(`fine\n${line}`)).rejects.toMatchObject({ code: "INVALID_INPUT" });
    await audit.append("next: é 😀 \u2028");
    expect((await audit.read()).map(({ line }) => line)).toEqual(linkLines(["kept", "next: é 😀 \u2028"], undefined));
  });

  test("has no gaps where several processes append", async () => {
    const at = await location();
    await open(at);
    const script = (name: string) =>
      `for (let turn = 0; turn < 50; turn++) await store.audit.append("${name}\\n${name}"); await store.close();`;
    await Promise.all(["a", "b", "c"].map((name) => run(at, script(name))));
    const lines = await (await open(at)).audit.read();
    expect(lines.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 300 }, (_, index) => index + 1));
    // What was appended together stands together.
    const names = lines.map(({ line }) => line.split(",", 1)[0]);
    for (let index = 0; index < names.length; index += 2) expect(names[index]).toBe(names[index + 1]);
  });
});

test("several processes may make the same file at the same moment", async () => {
  const folder = await mkdtemp(join(tmpdir(), "biplane-store-"));
  const script = `
    for (let turn = 0; turn < ${process.env["BIPLANE_SOAK"] ? 100 : 10}; turn++) {
      const start = Math.ceil((Date.now() + 10) / 100) * 100;
      await new Promise((resolve) => setTimeout(resolve, start - Date.now() - 5));
      while (Date.now() < start);
      await (await openStore(${JSON.stringify(folder)} + "/" + start + ".db")).close();
    }
  `;
  const each = () => run(":memory:", script);
  await expect(Promise.all([each(), each(), each()])).resolves.toBeDefined();
  await rm(folder, { recursive: true });
});

test("a location that cannot be opened says which, without the password", async () => {
  await expect(openStore("postgres://me:secret@127.0.0.1:1/db")).rejects.toThrow(
    /^The store postgres:\/\/127\.0\.0\.1:1\/db cannot be reached: .*ECONNREFUSED/,
  );
  await expect(openStore("postgres://me:secret@[/db")).rejects.toThrow("The store is not a valid URL");
});

/** Runs a script in a process of its own; rejects if it fails. */
async function run(location: string, script: string): Promise<void> {
  const whole = `import { openStore } from "biplane/store";
    const store = await openStore(${JSON.stringify(location)}); ${script}`;
  await promisify(execFile)(process.execPath, ["--input-type=module", "-e", whole]);
}
