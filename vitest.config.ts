import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { findChromium } from "./test/support/find-chromium.ts";
import { SlowFirst } from "./test/support/slow-first.ts";

/** The name of a test file says what it starts: `x.process.test.ts` starts processes, `x.test.ts` nothing. */
const kinds = {
  fast: "test/**/!(*.engine|*.process|*.browser).test.ts",
  engine: "test/**/*.engine.test.ts",
  process: "test/**/*.process.test.ts",
  browser: "test/**/*.browser.test.ts",
};

const cores = Math.max(2, availableParallelism());

/** Tests in their own process, of which many wait for a timer: three workers more than there are cores. They run first. */
const quick = { maxWorkers: cores + 3, sequence: { groupOrder: 0 } };

/** Tests that compute for seconds, many of them in threads of their own: a worker more than there are cores. */
const computing = { maxWorkers: cores + 1, sequence: { groupOrder: 1 } };

/** Tests that wait for other processes much of the time: three workers more than there are cores. */
const waiting = { maxWorkers: cores + 3, sequence: { groupOrder: 2 } };

export default defineConfig({
  resolve: { conditions: ["biplane-source"] },
  ssr: { resolve: { conditions: ["biplane-source"] } },
  test: {
    // Long enough for a browser on two busy cores; what hangs still ends.
    testTimeout: 60_000,
    expect: { poll: { timeout: 10_000 } },
    hookTimeout: 60_000,
    sequence: { sequencer: SlowFirst },
    reporters: ["default", "./test/support/skip-reporter.ts", "./test/support/failed-files.ts"],
    // Test files share the modules they load, and the browser.
    isolate: false,
    // The four projects, and the next run, share the transformed modules too.
    experimental: { fsModuleCache: true, fsModuleCachePath: ".cache/vitest" },
    projects: [
      project("fast", { ...quick, setupFiles: "test/support/fast-setup.ts" }),
      project("engine", computing),
      project("process", waiting),
      project("browser", findChromium().missing === undefined ? waiting : { ...waiting, include: [] }),
    ],
  },
});

function project(name: keyof typeof kinds, options: object = {}) {
  return { extends: true as const, test: { name, include: [kinds[name]], ...options } };
}
