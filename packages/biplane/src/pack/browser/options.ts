import type { ValueOf } from "@biplane/core/internal";
import { allowedHosts, allowedPorts, count, optionsOf, path } from "../shared/options.ts";

export const browserOptions = optionsOf(
  {},
  {
    allow: allowedHosts,
    ports: allowedPorts,
    executablePath: path("The Chromium to use (default: the installed one)"),
    sandbox: {
      type: "boolean",
      description: "Chromium's sandbox (default: on, unless the server runs as root, which Chromium does not support)",
    },
    maxContexts: {
      ...count(8, "Maximum number of callers with a browser; further calls fail with `CAPACITY`"),
      maximum: 100,
    },
    idleMs: count(300_000, "Idle time in milliseconds after which a caller's browser is closed"),
    timeoutMs: {
      ...count(20_000, "Time limit in milliseconds for a page to load or respond; a page that hangs is closed"),
      maximum: 25_000,
    },
    maxBytes: count(50 * 2 ** 20, "Maximum bytes received over one connection"),
    maxPageMemoryBytes: {
      ...count(1024 * 2 ** 20, "Memory of a page's process in bytes, above which it is killed (Linux only)"),
      minimum: 64 * 2 ** 20,
    },
  },
);

export type BrowserOptions = ValueOf<typeof browserOptions>;
