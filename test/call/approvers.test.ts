import { expect, test } from "vitest";
import { ask, server, tool } from "biplane";
import { connect } from "biplane/client";

test("the audit entry names everybody who approved a call", async () => {
  const approvedBy: (string | undefined)[] = [];
  await using subject = server({
    name: "subject",
    tools: { pay: tool({ run: () => "paid" }) },
    policies: [() => ask("May money move?", { subject: "money" }), () => ask("May it be today?", { subject: "day" })],
    approver: { approve: ({ subject: about }) => Promise.resolve({ by: `person of ${String(about)}`, waited: false }) },
    audit: { record: (entry) => void approvedBy.push(entry.approvedBy) },
  });
  await using client = await connect(subject);
  expect(await client.callTool("pay", {})).not.toHaveProperty("isError", true);
  expect(approvedBy).toEqual(["person of money, person of day"]);
});
