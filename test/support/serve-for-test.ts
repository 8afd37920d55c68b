import { onTestFinished } from "vitest";
import type { Environment, ServeOptions } from "biplane";
import { serve } from "../../packages/core/src/wire/serve.ts";

/** Serves environments on a free port until the end of the test. Returns the address. */
export async function serveForTest(environments: readonly Environment[], options: ServeOptions = {}): Promise<string> {
  const listening = await serve(environments, { url: "http://127.0.0.1:0", graceMs: 100, ...options });
  onTestFinished(async () => {
    await listening.close();
    await Promise.all(environments.map((each) => each.close()));
  });
  return listening.url;
}
