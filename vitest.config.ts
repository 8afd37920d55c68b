import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { findChromium } from "./test/support/find-chromium.ts";

/** The name of a test file says what it starts: `x.process.test.ts` starts processes, `x.test.ts` nothing. */
const kinds = {
  fast: "test/**/!(*.engine|*.process|*.browser).test.ts",
  engine: "test/**/*.engine.test.ts",
  process: "test/**/*.process.test.ts",
  browser: "test/**/*.browser.test.ts",
};

export default defineConfig({
  resolve: { conditions: ["biplane-source"] },
  ssr: { resolve: { conditions: ["biplane-source"] } },
  test: {
    // Tests wait for other processes more than they compute, so also the last core is used.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    // Long enough for a browser on two busy cores; what hangs still ends.
    testTimeout: 60_000,
    expect: { poll: { timeout: 10_000 } },
    hookTimeout: 60_000,
    reporters: ["default", "./test/support/skip-reporter.ts"],
    // Test files share the modules they load, and the browser.
    isolate: false,
    projects: [
      project("fast", { setupFiles: "test/support/fast-setup.ts" }),
      project("engine"),
      project("process"),
      project("browser", findChromium().missing === undefined ? {} : { include: [] }),
    ],
  },
});

function project(name: keyof typeof kinds, options: object = {}) {
  return { extends: true as const, test: { name, include: [kinds[name]], ...options } };
}
