import { expect, test } from "vitest";
import type { NotificationMessage } from "../../../packages/biplane/src/governance/notifications/notification-message.ts";
import { webhookBody } from "../../../packages/biplane/src/governance/notifications/notification-message.ts";
import type { SendResult } from "../../../packages/biplane/src/governance/notifications/notification-target.ts";
import { TargetTester } from "../../../packages/biplane/src/governance/notifications/target-tester.ts";

const ada = { kind: "person", id: "ada", scopes: ["approvals"] } as const;

function openTester(answer: () => SendResult) {
  const sent: NotificationMessage[] = [];
  let now = 0;
  const target = {
    name: "oncall",
    kind: "webhook" as const,
    address: "https://hooks.example.com",
    fingerprint: "1",
    hasAnswerLinks: false,
    pauseMs: 0,
    isGrouped: false,
    send: async (messages: readonly NotificationMessage[]) => {
      sent.push(...messages);
      return answer();
    },
  };
  const tester = new TargetTester([target], () => now);
  return { tester, sent, pass: (ms: number) => void (now += ms) };
}

test("a test message is sent at once, and says who sent it", async () => {
  const { tester, sent } = openTester(() => ({ status: "sent" }));
  expect(await tester.test("oncall", ada)).toEqual({ status: "sent", error: null });
  const body = JSON.parse(sent[0] ? webhookBody(sent[0]) : "{}") as unknown;
  expect(body).toEqual({
    type: "notification.test",
    timestamp: "1970-01-01T00:00:00.000Z",
    data: { target: "oncall", by: "ada" },
  });
});

test("a failure is returned with its reason, for every kind of failure", async () => {
  let answer: () => SendResult = () => ({ status: "retry", reason: "The webhook answered 500." });
  const { tester, pass } = openTester(() => answer());
  expect(await tester.test("oncall", ada)).toEqual({ status: "failed", error: "The webhook answered 500." });
  answer = () => {
    throw new Error("connection refused");
  };
  pass(5000);
  expect(await tester.test("oncall", ada)).toEqual({ status: "failed", error: "connection refused" });
});

test("tests of one target need a pause, and an unknown target is not found", async () => {
  const { tester, sent } = openTester(() => ({ status: "sent" }));
  await tester.test("oncall", ada);
  await expect(tester.test("oncall", ada)).rejects.toThrow("Try again in 5 s");
  expect(await tester.test("other", ada)).toBeUndefined();
  expect(sent).toHaveLength(1);
});
