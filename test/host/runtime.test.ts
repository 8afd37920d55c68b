import { afterEach, expect, test, vi } from "vitest";
import { openStore } from "biplane/store";
import { loadConfig } from "../../packages/biplane/src/config/load-config.ts";
import { openSecrets } from "../../packages/biplane/src/governance/secrets/secrets.ts";
import { openRuntime } from "../../packages/biplane/src/host/runtime.ts";
import { createLogger } from "../../packages/biplane/src/observe/logs.ts";

afterEach(() => vi.useRealTimers());

test("a runtime that closes while it reads the secrets of its store waits for them, and reports no fault", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  await using store = await openStore(":memory:");
  let goOn = () => undefined as void;
  const gate = new Promise<void>((resolve) => (goOn = resolve));
  const secrets = await openSecrets({ store, key: new Uint8Array(32).fill(7), environment: {} });
  const lines: string[] = [];
  const log = createLogger({ write: (line) => void lines.push(line) });
  const { config } = await loadConfig({ only: ["limits", "approvals", "auth", "mode", "policyDefault", "audit"] });
  const runtime = openRuntime({ config, store, secrets, log });
  // The store has one connection, so nothing else is read before this transaction ends.
  const busy = store.db.transaction().execute(() => gate);
  vi.advanceTimersByTime(2000);
  const closed = runtime[Symbol.asyncDispose]();
  await new Promise((resolve) => setImmediate(resolve));
  goOn();
  await busy;
  await closed;
  await new Promise((resolve) => setImmediate(resolve));
  expect(lines).toEqual([]);
});
