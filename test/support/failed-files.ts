import { mkdirSync, writeFileSync } from "node:fs";
import { relative } from "node:path";
import type { Reporter, TestModule } from "vitest/node";

/** Lists the files with a failed test in `.cache/failed-tests`, so that CI can run them once more. */
export default class FailedFiles implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const failed = modules.filter((module) => module.state() === "failed");
    mkdirSync(".cache", { recursive: true });
    writeFileSync(".cache/failed-tests", failed.map(({ moduleId }) => `${relative("", moduleId)}\n`).join(""));
  }
}
