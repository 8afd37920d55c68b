import { expect, test } from "vitest";
import { isUnused } from "../../page/src/views/approvals/is-unused.ts";

test("an approval that expired after a person approved it was not used in time", () => {
  expect(isUnused({ status: "expired", answeredBy: "person ben" })).toBe(true);
  expect(isUnused({ status: "expired" })).toBe(false);
  expect(isUnused({ status: "used", answeredBy: "person ben" })).toBe(false);
});
