import { expect, test } from "vitest";
import { chartCap } from "../../page/src/views/overview/chart-cap.ts";

test("one burst is cut at twice the 95th percentile of the busy times", () => {
  const usual = Array.from({ length: 40 }, (_, at) => (at % 2 === 0 ? 0 : 8 + (at % 5)));
  expect(chartCap([...usual, 250])).toBe(24);
});

test("values of one size are not cut, and neither is nothing", () => {
  expect(chartCap([5, 6, 0, 9, 7])).toBeUndefined();
  expect(chartCap([0, 0, 3])).toBeUndefined();
  expect(chartCap([0, 0])).toBeUndefined();
});
