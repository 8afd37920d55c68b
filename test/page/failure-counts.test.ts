import { expect, test } from "vitest";
import type { AuditOutcome } from "@biplane/core/internal";
import { OutcomeCount } from "../../packages/biplane/src/admin/calls/outcome-count.ts";
import { failureTexts, failuresOf, isUnusual } from "../../page/src/components/failure-counts.ts";
import { decisionWord } from "../../page/src/views/audit/decision-word.ts";

const outcomes: readonly AuditOutcome[] = [
  "done",
  "suspended",
  "POLICY_DENIED",
  "RATE_LIMITED",
  "APPROVAL_REJECTED",
  "APPROVAL_PENDING",
  "INVALID_INPUT",
  "EXECUTION_ERROR",
];

test("a call that did not run to its end is denied, asked, invalid or an error, and never two of them", () => {
  const count = new OutcomeCount();
  for (const outcome of outcomes) count.addOutcome(outcome);
  expect(count.counts()).toEqual({ calls: 8, failed: 6, refused: 4, asked: 1, invalid: 1 });
  expect(failuresOf(count)).toEqual({ denied: 3, asked: 1, invalid: 1, errors: 1 });
  expect(failureTexts(count).map(({ text }) => text.replace(/^.* /, ""))).toEqual([
    "denied",
    "asked",
    "invalid",
    "errors",
  ]);
});

test("a share is unusual from one call in twenty", () => {
  expect([isUnusual(1, 21), isUnusual(1, 20), isUnusual(3, 4)]).toEqual([false, true, true]);
});

test("the audit log says what the counts say", () => {
  expect(decisionWord({ decision: "refused", outcome: "INVALID_INPUT" })).toBe("invalid");
  expect(decisionWord({ decision: "refused", outcome: "RATE_LIMITED" })).toBe("denied");
  expect(decisionWord({ decision: "asked", outcome: "APPROVAL_PENDING" })).toBe("asked");
});
