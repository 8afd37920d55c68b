import { expect, test } from "vitest";
import { ask, deny, server, tool } from "biplane";
import type { ApprovalRequest } from "@biplane/core/internal";
import { openStore } from "biplane/store";
import { openAudit } from "../../../packages/biplane/src/governance/audit/audit.ts";
import { queryAudit } from "../../../packages/biplane/src/governance/audit/query.ts";
import { verifyAudit } from "../../../packages/biplane/src/governance/audit/verify.ts";

const tools = {
  add: tool({
    input: { type: "object", properties: { a: { type: "number" }, note: { type: "string" } } },
    run: ({ a }) => a,
  }),
  never: tool({ run: () => "never" }),
};

test("every call and every refusal leaves one line, without secrets, in one chain", async () => {
  await using store = await openStore(":memory:");
  const audit = openAudit({ store, onFault: () => undefined });
  const subject = server({ name: "s", version: "1", tools, audit, secrets: { TOKEN: "a-secret-token" } });
  subject.policy((_, name) => (name === "never" ? deny("Nobody may") : { verdict: "allow" }));
  const { url } = await subject.serve("http://127.0.0.1:0");
  const execute = (body: object) => fetch(`${url}/mcp/execute`, { method: "POST", body: JSON.stringify(body) });
  await execute({ tool: "add", arguments: { a: 1, note: "a-secret-token" }, agent: { agent_id: "me" } });
  await execute({ tool: "add", arguments: { b: 1 } });
  await execute({ tool: "never" });
  await execute({ tool: "nonsense" });
  await subject.call("add", { a: 2 });
  await subject.close();
  await audit.close();
  expect(await verifyAudit(store)).toMatchObject({ ok: true, lines: 5 });
  const lines = await queryAudit(store, { order: "oldest" });
  const text = JSON.stringify(lines);
  expect(text).not.toContain("a-secret-token");
  expect(text).toContain("[REDACTED:TOKEN]");
  for (const word of ["allowed", "refused", "denied", "Nobody may", "TOOL_NOT_FOUND", '"me"', "direct"])
    expect(text).toContain(word);
});

test("a call that was cancelled while it waited for approval is on record as asked, not as allowed", async () => {
  await using store = await openStore(":memory:");
  const audit = openAudit({ store, onFault: () => undefined });
  const cancelled = new AbortController();
  const approver = {
    approve: ({ call }: ApprovalRequest) => {
      cancelled.abort();
      return Promise.reject(call.stopped ?? new Error("was not stopped"));
    },
  };
  const subject = server({ name: "s", version: "1", tools, audit, approver, policies: [() => ask("Really?")] });
  const call = subject.call("never", {}, { signal: cancelled.signal });
  await expect(call).rejects.toMatchObject({ code: "CANCELLED" });
  await audit.close();
  expect(await queryAudit(store, {})).toMatchObject([{ decision: "asked", outcome: "CANCELLED" }]);
});

test("if calls must be audited, a call that cannot be audited fails", async () => {
  const faults: string[] = [];
  const broken = { record: () => Promise.reject(new Error("the disk is full")) };
  const subject = server({ name: "s", version: "1", tools, audit: broken, onFault: (_, where) => faults.push(where) });
  await expect(subject.call("add", { a: 1 })).rejects.toMatchObject({ code: "INTERNAL" });
  expect(faults).toEqual(["the audit log"]);
});
