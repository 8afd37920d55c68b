import type { Reporter, TestModule, Vitest } from "vitest/node";
import { findChromium } from "./find-chromium.ts";

/** Prints after the last test what the skipped ones need. */
export default class SkipReporter implements Reporter {
  #vitest: Vitest | undefined;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const counts = new Map<string, number>();
    for (const module of modules)
      for (const test of module.children.allTests("skipped")) {
        const result = test.result();
        const needs = test.meta().needs ?? (result.state === "skipped" ? result.note : undefined);
        if (needs !== undefined) counts.set(needs, (counts.get(needs) ?? 0) + 1);
      }
    const lines = [...counts].map(([what, count]) =>
      count === 1 ? `1 test needs ${what}` : `${count} tests need ${what}`,
    );
    const { missing } = findChromium();
    if (missing !== undefined && this.#vitest?.projects.some(({ name }) => name === "browser"))
      lines.push(`all tests with a browser need ${missing}`);
    for (const line of lines) this.#vitest?.logger.log(`Skipped: ${line}`);
  }
}
