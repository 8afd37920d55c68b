import type { Rule } from "@biplane/core";
import type { ValueOf } from "@biplane/core/internal";
import type { Schema } from "./schema.ts";

const path = { type: "string", minLength: 1, format: "path" } as const;
const names = { type: "array", items: { type: "string", minLength: 1 } } as const;

/** What `biplane serve` allows each caller unless the config says otherwise. */
const defaultRate = { perSecond: 10, burst: 20 };

const rate = {
  type: "object",
  description: "Rate limit: average rate and burst",
  properties: {
    perSecond: { type: "number", description: "Average calls per second", exclusiveMinimum: 0 },
    burst: { type: "number", description: "Calls allowed at once", minimum: 1 },
  },
  required: ["perSecond", "burst"],
  additionalProperties: false,
} as const;

const count = { type: "integer", minimum: 1 } as const;

const limit = (preset: number, description: string) => ({ ...count, default: preset, description }) as const;

const share = (perPrincipal: number, total: number, description: string) =>
  ({
    type: "object",
    description,
    properties: {
      perPrincipal: limit(perPrincipal, "For each caller"),
      total: limit(total, "For all callers together"),
    },
    additionalProperties: false,
    default: {},
  }) as const;

/** Everything that `biplane.yaml` may contain. The table in docs/config.md is generated from it. */
export const configSchema = {
  type: "object",
  additionalProperties: false,
  properties: {
    name: {
      type: "string",
      description: "Name of the installation",
      default: "biplane",
      minLength: 1,
      maxLength: 128,
      environment: "BIPLANE_NAME",
    },
    mode: {
      type: "string",
      description: "`production` closes the trainer endpoints and requires a policy",
      enum: ["simulation", "production"],
      default: "simulation",
      environment: "BIPLANE_MODE",
    },
    listen: {
      type: "string",
      description: "Address to listen on: `stdio`, `http://host:port` or `ws://host:port`",
      default: "http://127.0.0.1:8000",
      pattern: String.raw`^(stdio|(http|ws)://[^\s/?#]+/?)$`,
      means: "stdio, http://host:port or ws://host:port",
      environment: "BIPLANE_LISTEN",
    },
    http: {
      type: "object",
      description: "HTTP settings",
      properties: {
        publicUrl: {
          type: "string",
          description: "Public URL behind a proxy, such as `https://tools.example.com`",
          pattern: "^https?://",
          means: "a URL that starts with https://",
          environment: "BIPLANE_HTTP_PUBLIC_URL",
        },
        sandboxUrl: {
          type: "string",
          description:
            "Separate origin for apps that also resolves to this server, such as `https://{app}.apps.example.com` (default on loopback: `*.localhost`)",
          pattern: "^https?://",
          means: "a URL that starts with https://",
          environment: "BIPLANE_HTTP_SANDBOX_URL",
        },
        trustedProxies: { ...names, description: "Addresses of proxies whose forwarding headers are trusted" },
        allowedHosts: {
          ...names,
          description: "More accepted values of the `Host` header, such as `tools.example.com`",
        },
        allowedOrigins: { ...names, description: "More accepted values of the `Origin` header" },
        maxBodyBytes: {
          type: "integer",
          description: "Maximum size of a request body",
          minimum: 1024,
          environment: "BIPLANE_HTTP_MAX_BODY_BYTES",
        },
      },
      additionalProperties: false,
    },
    servers: {
      type: "array",
      description: "Modules whose default export is a server, an environment, or a list of them",
      items: path,
      default: [],
    },
    environments: {
      ...names,
      description: "Gallery environments by name, or module paths that start with `.` or `/`",
      default: [],
    },
    packs: {
      type: "object",
      description: "Tool packs by name, each with its own options",
      additionalProperties: { type: "object" },
      default: {},
    },
    code: {
      type: "object",
      description: "Lets agents run code that calls tools as functions; see [agent code](code.md)",
      properties: {
        languages: {
          type: "array",
          description: "Languages that agents may use",
          items: { type: "string", enum: ["javascript", "python", "starlark"] },
          default: ["javascript"],
        },
        alone: {
          type: "boolean",
          description: "Expose the tools to code only",
          default: false,
          environment: "BIPLANE_CODE_ALONE",
        },
        workers: {
          ...count,
          description: "Actions that compute at once, in all languages (default: one more than processors, at least 3)",
          maximum: 256,
          environment: "BIPLANE_CODE_WORKERS",
        },
        limits: {
          type: "object",
          description: "Limits of one action; see [agent code](code.md#limits-of-an-action)",
          properties: {
            wallMs: limit(60_000, "Wall-clock time, without waits for approval"),
            cpuMs: limit(5000, "Time spent computing"),
            memoryBytes: { ...limit(64 * 1024 * 1024, "Memory"), minimum: 1024 * 1024, maximum: 2 * 1024 ** 3 },
            stackBytes: { ...limit(256 * 1024, "Stack"), minimum: 16 * 1024, maximum: 512 * 1024 },
            outputBytes: limit(64 * 1024, "Printed text; more is truncated"),
            valueBytes: limit(256 * 1024, "The result as JSON; more is truncated"),
            sourceBytes: limit(128 * 1024, "The code itself"),
            calls: limit(1000, "Tool calls"),
          },
          additionalProperties: false,
          default: {},
        },
      },
      additionalProperties: false,
    },
    disclose: {
      description:
        "Lists only three tools, which search, describe and call the others; see [composition](composition.md)",
      default: false,
      anyOf: [
        { type: "boolean" },
        {
          type: "object",
          properties: { always: { ...names, description: "Further tools to list", default: [] } },
          additionalProperties: false,
        },
      ],
    },
    mcpServers: {
      type: "object",
      description: "MCP servers to mount, by name, in the format of desktop hosts",
      additionalProperties: {
        type: "object",
        properties: {
          command: { type: "string", description: "Command to start", minLength: 1 },
          args: { type: "array", description: "Command arguments", items: { type: "string" } },
          env: {
            type: "object",
            description: "Environment variables",
            additionalProperties: { type: "string", writeOnly: true },
          },
          cwd: { ...path, description: "Working directory" },
          type: { type: "string", description: "Transport, such as `stdio` or `http`" },
          url: { type: "string", description: "URL of a running server", pattern: "^(http|ws)s?://" },
          headers: {
            type: "object",
            description: "Headers sent with each request",
            additionalProperties: { type: "string", writeOnly: true },
          },
        },
      },
      default: {},
    },
    policies: {
      type: "array",
      description: "Rules, in order of evaluation; see [policies](policies.md)",
      items: { type: "object" },
    },
    policyDefault: {
      type: "string",
      description: "Decision if no rule matches",
      enum: ["allow", "deny", "ask"],
      default: "deny",
      environment: "BIPLANE_POLICY_DEFAULT",
    },
    limits: {
      description: "Rate and concurrency limits; `false` for none",
      default: {},
      anyOf: [
        { type: "boolean", enum: [false] },
        {
          type: "object",
          properties: {
            perPrincipal: {
              description: "For each caller, over all MCP requests and calls; `false` for no limit",
              anyOf: [{ type: "boolean", enum: [false] }, rate],
              default: defaultRate,
            },
            perTool: {
              type: "object",
              description: "Rate limit per tool, across all callers",
              additionalProperties: rate,
            },
            global: { ...rate, description: "Rate limit for all calls together" },
            concurrency: {
              type: "object",
              description: "Maximum number of calls that run at the same time",
              properties: {
                perPrincipal: { ...count, description: "Per caller", default: 50 },
                perTool: { type: "object", description: "Per tool", additionalProperties: count },
                global: { ...count, description: "For all calls together" },
              },
              additionalProperties: false,
              default: {},
            },
            held: {
              type: "object",
              description: "What callers can hold at once; see [limits](limits.md)",
              properties: {
                codeBytes: share(128 * 1024 * 1024, 512 * 1024 * 1024, "Bytes of code state"),
                codeActions: share(32, 4096, "Code actions that run or wait"),
                waitingCalls: share(100, 2000, "Calls that wait for approval"),
              },
              additionalProperties: false,
              default: {},
            },
          },
          additionalProperties: false,
        },
      ],
    },
    approvals: {
      type: "object",
      description: "What happens when a policy asks",
      properties: {
        byClient: {
          type: "boolean",
          description: "Ask the user of the calling client, if it supports elicitation",
          default: false,
          environment: "BIPLANE_APPROVALS_BY_CLIENT",
        },
        expiresMinutes: {
          type: "number",
          description: "Minutes until an unanswered question expires",
          default: 60,
          exclusiveMinimum: 0,
          environment: "BIPLANE_APPROVALS_EXPIRES_MINUTES",
        },
        simulated: {
          type: "object",
          description: "Simulates a person during training",
          properties: {
            seed: { type: "integer", description: "Equal seeds give equal answers", minimum: 0 },
            approve: { type: "number", description: "Probability of approval", default: 1, minimum: 0, maximum: 1 },
          },
          required: ["seed"],
          additionalProperties: false,
        },
      },
      additionalProperties: false,
      default: {},
    },
    secrets: {
      type: "object",
      description: "Values that are redacted from all output",
      properties: {
        key: {
          type: "object",
          description: "Encryption key of the stored secrets",
          properties: {
            file: { ...path, description: "Key file, created if it does not exist" },
            environmentVariable: {
              type: "string",
              description: "Variable that takes precedence over the file: 32 bytes in base64 or hex",
              minLength: 1,
            },
          },
          additionalProperties: false,
        },
        values: {
          type: "object",
          description: "Secrets by name, as references: `CRM_TOKEN: ${CRM_TOKEN}`",
          propertyNames: {
            pattern: "^[A-Z][A-Z0-9_]{0,63}$",
            means: "capital letters, digits and underscores, starting with a letter",
          },
          additionalProperties: { type: "string", minLength: 8, maxLength: 4096, writeOnly: true },
        },
      },
      additionalProperties: false,
    },
    audit: {
      type: "object",
      description: "The audit log",
      properties: {
        strict: {
          type: "boolean",
          description: "Calls wait until their audit line is on disk",
          default: false,
          environment: "BIPLANE_AUDIT_STRICT",
        },
      },
      additionalProperties: false,
      default: {},
    },
    auth: {
      type: "object",
      description: "Authentication of agents and trainers",
      properties: {
        tokens: {
          type: "array",
          description: "Bearer tokens",
          items: {
            type: "object",
            properties: {
              id: { type: "string", description: "Principal id of calls with this token", minLength: 1 },
              kind: {
                type: "string",
                description: "`trainer` tokens also open the trainer endpoints",
                enum: ["token", "trainer"],
                default: "token",
              },
              scopes: { ...names, description: "Scopes that policies can require", default: [] },
              hash: {
                type: "string",
                description: "SHA-256 of the token: `sha256:…`",
                pattern: "^sha256:[0-9a-f]{64}$",
                means: "sha256: and 64 hex digits",
              },
              token: {
                type: "string",
                description: "The token itself, as a reference: `${ADA_TOKEN}`",
                minLength: 24,
                writeOnly: true,
              },
              expiresAt: {
                type: "string",
                description: "Expiry time: `2027-01-31T00:00:00Z`",
                pattern: String.raw`^\d{4}-\d\d-\d\dT\d\d:\d\d`,
                means: "a time such as 2027-01-31T00:00:00Z",
              },
            },
            required: ["id"],
            additionalProperties: false,
          },
        },
        oauth: {
          type: "object",
          description: "OAuth access tokens",
          properties: {
            issuer: {
              type: "string",
              description: "URL of the authorization server",
              pattern: "^https?://",
              means: "a URL that starts with https://",
            },
            audience: { type: "string", description: "Required `aud` claim", minLength: 1 },
            jwks: {
              type: "string",
              description: "URL of its key set (default: from the issuer's metadata)",
              pattern: "^https?://",
              means: "a URL that starts with https://",
            },
            requiredScopes: { ...names, description: "Scopes that every token needs" },
            toolScopes: {
              type: "object",
              description: "Scopes per tool, by glob over its name",
              additionalProperties: names,
            },
          },
          required: ["issuer", "audience"],
          additionalProperties: false,
        },
        openTrainerEndpoints: {
          type: "boolean",
          description: "Open the trainer endpoints without credentials on a non-loopback address",
          default: false,
          environment: "BIPLANE_AUTH_OPEN_TRAINER_ENDPOINTS",
          former: { key: "openTrainerDoors", environment: "BIPLANE_AUTH_OPEN_TRAINER_DOORS" },
        },
      },
      additionalProperties: false,
      default: {},
    },
    people: {
      type: "object",
      description: "Login sessions of people",
      properties: {
        idleHours: {
          type: "number",
          description: "Idle timeout of a login, in hours",
          default: 12,
          exclusiveMinimum: 0,
          environment: "BIPLANE_PEOPLE_IDLE_HOURS",
        },
        longestHours: {
          type: "number",
          description: "Maximum lifetime of a login, in hours",
          default: 168,
          exclusiveMinimum: 0,
          environment: "BIPLANE_PEOPLE_LONGEST_HOURS",
        },
      },
      additionalProperties: false,
      default: {},
    },
    logging: {
      type: "object",
      description: "Log output",
      properties: {
        level: {
          type: "string",
          description: "Lowest level that is written",
          enum: ["debug", "info", "warn", "error"],
          default: "info",
          environment: "BIPLANE_LOG_LEVEL",
        },
        format: {
          type: "string",
          description: "`pretty` for people, `json` for programs",
          enum: ["pretty", "json"],
          default: "pretty",
          environment: "BIPLANE_LOG_FORMAT",
        },
      },
      additionalProperties: false,
      default: {},
    },
    store: {
      ...path,
      description: "SQLite file, or Postgres URL, for durable data (default: in memory)",
      environment: "BIPLANE_STORE",
    },
  },
} as const satisfies Schema;

/** A checked config file with defaults. It is frozen. */
export type Config = Omit<ValueOf<typeof configSchema, true>, "policies"> & { readonly policies?: readonly Rule[] };
