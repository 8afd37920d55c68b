import { defineConfig } from "vitest/config";

/** Checks of the built site: `npm run site:check` builds it first. */
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ["check/*.test.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
