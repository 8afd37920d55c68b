import type { ValueOf } from "@biplane/core/internal";
import { object } from "../../schema/builders.ts";
import { cassetteMembers } from "../shared/net/open-cassette.ts";
import { allowedHosts, allowedPorts, count, flag, optionsOf } from "../shared/options.ts";

export const webOptions = optionsOf(
  {},
  {
    allow: allowedHosts,
    ports: allowedPorts,
    timeoutMs: {
      ...count(20_000, "Time limit of one fetch in milliseconds, including redirects and waiting"),
      maximum: 30_000,
    },
    maxBytes: count(5 * 2 ** 20, "Maximum response size in bytes, compressed and decompressed"),
    maxRedirects: { ...count(5, "Maximum number of redirects to follow"), minimum: 0, maximum: 20 },
    userAgent: {
      type: "string",
      minLength: 1,
      default: "Biplane/0.1 (AI assistant)",
      description: "`User-Agent` header, and the name to look for in robots.txt",
    },
    rate: {
      ...object({
        perSecond: { type: "number", exclusiveMinimum: 0 },
        burst: { type: "integer", minimum: 1 },
      }),
      default: { perSecond: 1, burst: 3 },
      description: "Rate limit per host; further requests wait",
    },
    robots: flag(false, "Respect the robots.txt of the requested host"),
    cacheSeconds: {
      ...count(60, "How long to cache pages without caching headers; 0 caches only pages with caching headers"),
      minimum: 0,
      maximum: 3600,
    },
    ...cassetteMembers,
  },
);

export type WebOptions = ValueOf<typeof webOptions>;
