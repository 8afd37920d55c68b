import { expect, test } from "vitest";
import { groupsOf, shortReason, worstByTarget } from "../../page/src/views/approvals/message-groups.ts";
import type { Delivery } from "../../page/src/views/approvals/message-groups.ts";

function message(approval: string, second: number, rest: Partial<Delivery> = {}): Delivery {
  return {
    id: `${approval} ${second}`,
    kind: "requested",
    approval,
    approvalStatus: "waiting",
    tool: "refund",
    question: "Refund 10?",
    preview: '{"amount":10}',
    target: "ops",
    status: "sent",
    attempts: 1,
    createdAt: new Date(second * 1000).toISOString(),
    nextAt: null,
    sentAt: null,
    error: null,
    linkUsedAt: null,
    ...rest,
  };
}

test("messages are a row for each question, newest first, by target and time", () => {
  const groups = groupsOf([
    message("a", 9, { approvalStatus: "expired" }),
    message("b", 7, { kind: "answered" }),
    message("b", 5, { target: "phone" }),
    message("b", 6),
    message("a", 1, { approvalStatus: "expired" }),
  ]);
  const rows = groups.map(({ approval, ending, messages }) => [approval, ending, messages.map(({ id }) => id)]);
  expect(rows).toEqual([
    ["a", "expired", ["a 9"]],
    ["b", undefined, ["b 6", "b 7", "b 5"]],
    ["a", undefined, ["a 1"]],
  ]);
  expect(new Set(groups.map(({ key }) => key)).size).toBe(3);
});

test("a call that expired after an answer was approved and not used", () => {
  const expired = { approvalStatus: "expired" } as const;
  const [group] = groupsOf([message("a", 1, expired), message("a", 2, { ...expired, kind: "answered" })]);
  expect(group?.ending).toBe("unused");
});

test("a target has the line of its worst message", () => {
  const [group] = groupsOf([
    message("a", 1),
    message("a", 2, { kind: "answered", status: "failed", error: "The webhook answered 503." }),
    message("a", 3, { target: "phone" }),
    message("a", 4, { target: "phone", kind: "answered" }),
  ]);
  expect(worstByTarget(group?.messages ?? []).map(({ id }) => id)).toEqual(["a 2", "a 4"]);
});

test("the reason of a failed message is short", () => {
  expect(shortReason("The webhook answered 503.")).toBe("HTTP 503");
  expect(shortReason("The webhook did not answer.")).toBe("The webhook did not answer");
});
