/** Settings of the web pack. */
export interface WebOptions {
  /** Host names, addresses and ranges that may be fetched although they are not public. */
  readonly allow?: readonly string[];
  readonly ports?: readonly number[];
  readonly timeoutMs?: number;
  readonly maxBytes?: number;
  readonly maxRedirects?: number;
  readonly userAgent?: string;
  readonly rate?: { readonly perSecond: number; readonly burst: number };
  readonly robots?: boolean;
  readonly cacheSeconds?: number;
}

export const webOptions = {
  type: "object",
  additionalProperties: false,
  properties: {
    allow: {
      type: "array",
      items: { type: "string", minLength: 1 },
      default: [],
      description:
        "Host names (wiki.corp, *.corp), addresses and ranges (10.0.0.0/8) that may be fetched although they are not public",
    },
    ports: {
      type: "array",
      items: { type: "integer", minimum: 1, maximum: 65_535 },
      description: "Ports that may be reached; left out: any",
    },
    timeoutMs: {
      type: "integer",
      minimum: 1,
      maximum: 30_000,
      default: 20_000,
      description: "For one fetch as a whole, redirects and waiting included",
    },
    maxBytes: {
      type: "integer",
      minimum: 1,
      default: 5_242_880,
      description: "The largest answer, packed and unpacked",
    },
    maxRedirects: { type: "integer", minimum: 0, maximum: 20, default: 5 },
    userAgent: { type: "string", minLength: 1, default: "Biplane/0.1 (AI assistant)" },
    rate: {
      type: "object",
      additionalProperties: false,
      required: ["perSecond", "burst"],
      properties: {
        perSecond: { type: "number", exclusiveMinimum: 0 },
        burst: { type: "integer", minimum: 1 },
      },
      default: { perSecond: 1, burst: 3 },
      description: "How often one host is asked",
    },
    robots: {
      type: "boolean",
      default: false,
      description: "Keep to the robots.txt of the address that was asked for",
    },
    cacheSeconds: {
      type: "integer",
      minimum: 0,
      maximum: 3600,
      default: 60,
      description:
        "How long a page that says nothing about it is used again; 0 keeps nothing that does not ask to be kept",
    },
  },
} as const;
