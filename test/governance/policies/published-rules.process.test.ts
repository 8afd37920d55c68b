import { expect, test } from "vitest";
import { rules, server, tool } from "biplane";
import type { Policy } from "biplane";
import type { SqlStore } from "biplane/store";
import { PublishedRules } from "../../../packages/biplane/src/governance/policies/published-rules.ts";
import { RuleHits } from "../../../packages/biplane/src/governance/policies/rule-hits.ts";
import { CallLog } from "../../../packages/biplane/src/admin/calls/call-log.ts";
import { describeEngines } from "../../support/each-engine.ts";

const ada = { kind: "person", id: "ada", scopes: [] } as const;
const none = { tool: "refund", deny: "Not today" };

/** A process whose config allows everything but letters. */
async function openProcess(store: SqlStore) {
  const faults: unknown[] = [];
  const onFault = (fault: unknown) => void faults.push(fault);
  const published = new PublishedRules({ store, onFault, pollMs: 5 });
  const hits = new RuleHits({ store, onFault, flushMs: 5 });
  const log = new CallLog();
  const gateway = server({
    name: "gateway",
    tools: {
      refund: tool({ input: { type: "object", properties: { amount: { type: "number" } } }, run: () => "ran" }),
      letter: tool({ run: () => "ran" }),
    },
    policies: [rules([{ name: "letters", tool: "letter", deny: "No letters" }], { otherwise: "allow" })],
    meters: [log.meterOf("gateway")],
  });
  log.onCall((call) => hits.count(call));
  let applied: Policy | undefined;
  await published.start((policy) => {
    applied = policy;
    gateway.policy(policy);
  });
  const call = (name: string, input: object = {}) =>
    gateway.call(name, input).then(
      () => "ran",
      ({ message }: Error) => message,
    );
  return { published, hits, call, faults, isApplied: () => applied !== undefined };
}

const publish = (to: PublishedRules, list: readonly object[], base: number) =>
  to.publish({ source: "", rules: list, base, comment: "because" }, ada);

describeEngines("published rules", ({ open, location }) => {
  test("apply in every process, and after a restart", async () => {
    const at = await location();
    const [one, other] = [await openProcess(await open(at)), await openProcess(await open(at))];
    expect([await one.call("refund"), one.isApplied()]).toEqual(["ran", false]);
    await publish(one.published, [none], 0);
    expect(await one.call("refund")).toBe("Not today");
    await expect.poll(() => other.call("refund")).toBe("Not today");
    const later = await openProcess(await open(at));
    expect(await later.call("refund")).toBe("Not today");
    await publish(other.published, [], 1);
    await expect.poll(() => later.call("refund")).toBe("ran");
    expect((await one.published.history(10)).map(({ version }) => version)).toEqual([2, 1]);
    expect([one, other, later].flatMap(({ faults }) => faults)).toEqual([]);
    for (const { published } of [one, other, later]) await published[Symbol.asyncDispose]();
  });

  test("a stored rule with the name that stands for no match denies", async () => {
    const store = await open(await location());
    const version = { version: 1, source: "", published_by: "ada", published_at: 0, comment: null };
    const list = JSON.stringify([{ ...none, name: "no rule" }]);
    await store.db
      .insertInto("policy_versions")
      .values({ ...version, rules: list })
      .execute();
    const process = await openProcess(store);
    expect(await process.call("refund")).toContain("published rules cannot be read");
    expect(process.faults).toHaveLength(1);
    await process.published[Symbol.asyncDispose]();
  });

  test("allow nothing that another policy forbids, and are refused if they have a mistake", async () => {
    const { published, call } = await openProcess(await open());
    await publish(published, [{ tool: "*", allow: true }], 0);
    expect(await call("letter")).toBe("No letters");
    await expect(publish(published, [{ tol: "*", allow: true }], 1)).rejects.toThrow("did you mean tool");
    expect(await published.current()).toMatchObject({ version: 1, publishedBy: "person ada", comment: "because" });
    await published[Symbol.asyncDispose]();
  });

  test("of two people who publish at once, one gets an error", async () => {
    const at = await location();
    const [one, other] = [await openProcess(await open(at)), await openProcess(await open(at))];
    const both = await Promise.allSettled([publish(one.published, [none], 0), publish(other.published, [], 0)]);
    expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    await expect(publish(one.published, [], 0)).rejects.toMatchObject({ code: "CONFLICT" });
    for (const { published } of [one, other]) await published[Symbol.asyncDispose]();
  });

  test("that cannot be read deny every call", async () => {
    const store = await open();
    const row = { version: 1, source: "", published_by: "x", published_at: 1, comment: null };
    await store.db
      .insertInto("policy_versions")
      .values({ ...row, rules: '[{"tol":1}]' })
      .execute();
    const { call, faults, published } = await openProcess(store);
    expect(await call("refund")).toContain("cannot be read");
    expect(faults).toHaveLength(1);
    await published[Symbol.asyncDispose]();
  });

  test("are counted by all processes together, each call once", async () => {
    const at = await location();
    const [one, other] = [await openProcess(await open(at)), await openProcess(await open(at))];
    await publish(one.published, [{ name: "all", ...none }], 0);
    await expect.poll(() => other.call("refund")).toBe("Not today");
    await Promise.all([one, other].flatMap(({ call }) => [call("refund"), call("letter"), call("letter")]));
    await other.hits[Symbol.asyncDispose]();
    const rows = await one.hits.list();
    const count = (rule: string, verdict: string) =>
      rows.find((row) => row.rule === rule && row.verdict === verdict)?.hits ?? 0;
    expect(count("letters", "deny")).toBe(4);
    expect(count("published/all", "deny")).toBeGreaterThanOrEqual(3);
    expect(rows.find(({ rule }) => rule === "letters")).toMatchObject({ server: "gateway", last_tool: "letter" });
    for (const { published, hits } of [one, other]) {
      await published[Symbol.asyncDispose]();
      await hits[Symbol.asyncDispose]();
    }
  });
});
