import { expect, test } from "vitest";
import { summarize } from "../../conformance/summary.mjs";

const passed = { scenario: "ping", id: "ping", status: "SUCCESS" };

test("a scenario that tested nothing is counted and listed with its reason, not as passed", () => {
  const reason = "Server did not declare the extension";
  const checks = [
    passed,
    { scenario: "skills", id: "wire-schema-valid", status: "SUCCESS" },
    { scenario: "skills", id: "list", status: "SKIPPED", errorMessage: reason },
    { scenario: "skills", id: "get", status: "SKIPPED", errorMessage: reason },
  ];
  const { lines, skipped, failed } = summarize("server", checks);
  expect(skipped).toEqual(["skills"]);
  expect(failed).toBe(0);
  expect(lines).toEqual([
    "server: 1 scenarios, 2 checks passed, 0 failed, 0 warnings, 1 scenarios and 2 checks skipped",
    `  skipped: skills: ${reason}`,
  ]);
});

test("a skipped check of a scenario that ran is listed by itself", () => {
  const { lines, skipped } = summarize("server", [
    passed,
    { scenario: "ping", id: "later", status: "SKIPPED", description: "needs a newer version" },
  ]);
  expect(skipped).toEqual([]);
  expect(lines).toContain("  skipped check: ping: later: needs a newer version");
});

test("failures and runs without any result fail", () => {
  const failure = { scenario: "ping", id: "ping", status: "FAILURE", errorMessage: "no answer" };
  expect(summarize("server", [passed, failure]).failed).toBe(1);
  expect(summarize("server", [passed, failure]).lines).toContain("  failed: ping: ping: no answer");
  expect(summarize("server", []).failed).toBe(1);
});
