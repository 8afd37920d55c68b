import { defineConfig } from "vitest/config";

export default defineConfig({
  resolve: { conditions: ["biplane-source"] },
  ssr: { resolve: { conditions: ["biplane-source"] } },
  test: {
    include: ["test/**/*.test.ts"],
    testTimeout: 20_000,
    hookTimeout: 60_000,
  },
});
