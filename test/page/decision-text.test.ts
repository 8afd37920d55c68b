import { expect, test } from "vitest";
import { decisionText } from "../../page/src/views/live/decision-text.ts";

test.each([
  [{ by: "no rule", verdict: "allow", policy: "config file" }, "Config file: no rule matched, default allow"],
  [{ by: "no rule", verdict: "deny", policy: "rules" }, "Rules in code: no rule matched, default deny"],
  [{ by: "no rule", verdict: "ask" }, "Rules: no rule matched, default ask"],
  [{ by: "read-freely", verdict: "allow", policy: "config file" }, "Config file: rule read-freely"],
  [{ by: "published/old", verdict: "ask", policy: "published rules" }, "Published rules: rule old"],
  [{ by: "published rules", verdict: "allow" }, "Published rules: no rule matched"],
  [{ by: "letters", verdict: "allow" }, "Code policy letters: no objection"],
  [{ by: "letters", verdict: "deny" }, "Code policy letters"],
  [{ by: "large", verdict: "ask", policy: "refunds" }, "Code policy refunds: rule large"],
  [{ by: "person ben", verdict: "approved" }, "person ben"],
] as const)("%j is shown as %j", (decision, text) => {
  expect(decisionText(decision)).toBe(text);
});
