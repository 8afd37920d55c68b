import type { JsonObject } from "../../tool/schema.ts";

/** Settings of the browser pack. */
export interface BrowserOptions {
  /** Host names, addresses and ranges that may be reached although they are not public. */
  readonly allow?: readonly string[];
  readonly ports?: readonly number[];
  /** The Chromium to use; left out, the one that is installed. */
  readonly executablePath?: string;
  /** Chromium's own sandbox: on, except where the server runs as root, which Chromium refuses. */
  readonly sandbox?: boolean;
  readonly maxContexts?: number;
  readonly idleMs?: number;
  readonly timeoutMs?: number;
  readonly maxBytes?: number;
  readonly maxPageMemoryBytes?: number;
}

export const browserDefaults = {
  maxContexts: 8,
  idleMs: 300_000,
  timeoutMs: 20_000,
  maxBytes: 50 * 2 ** 20,
  maxPageMemoryBytes: 1024 * 2 ** 20,
} as const satisfies Partial<BrowserOptions>;

/** The options as JSON Schema, for files of settings. */
export const browserOptions: JsonObject = {
  type: "object",
  additionalProperties: false,
  properties: {
    allow: {
      type: "array",
      items: { type: "string", minLength: 1 },
      default: [],
      description:
        "Host names (wiki.corp, *.corp), addresses and ranges (10.0.0.0/8) that may be reached although they are not public",
    },
    ports: {
      type: "array",
      items: { type: "integer", minimum: 1, maximum: 65_535 },
      description: "Ports that may be reached; left out: any",
    },
    executablePath: {
      type: "string",
      format: "path",
      minLength: 1,
      description: "The Chromium to use; left out, the one that is installed",
    },
    sandbox: {
      type: "boolean",
      description: "Chromium's own sandbox; left out: on, except where the server runs as root, which Chromium refuses",
    },
    maxContexts: {
      type: "integer",
      minimum: 1,
      maximum: 100,
      default: browserDefaults.maxContexts,
      description: "How many callers may have a browser at once",
    },
    idleMs: {
      type: "integer",
      minimum: 1,
      default: browserDefaults.idleMs,
      description: "How long a caller's browser stays open without being used",
    },
    timeoutMs: {
      type: "integer",
      minimum: 1,
      maximum: 25_000,
      default: browserDefaults.timeoutMs,
      description: "How long a page may take to load or to answer",
    },
    maxBytes: {
      type: "integer",
      minimum: 1,
      default: browserDefaults.maxBytes,
      description: "How much may come over one connection",
    },
    maxPageMemoryBytes: {
      type: "integer",
      minimum: 64 * 2 ** 20,
      default: browserDefaults.maxPageMemoryBytes,
      description: "How much memory a page's process may take before it is ended; watched on Linux only",
    },
  },
};
