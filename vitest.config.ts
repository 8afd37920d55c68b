import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

export default defineConfig({
  resolve: { conditions: ["biplane-source"] },
  ssr: { resolve: { conditions: ["biplane-source"] } },
  test: {
    include: ["test/**/*.test.ts"],
    // Tests wait for other processes more than they compute, so also the last core is used.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    // Long enough for a browser on two busy cores; what hangs still ends.
    testTimeout: 60_000,
    expect: { poll: { timeout: 10_000 } },
    hookTimeout: 60_000,
  },
});
