import type { Rule } from "../call/rules/rule.ts";
import type { Schema, ValueOf } from "./schema.ts";

const path = { type: "string", minLength: 1, format: "path" } as const;
const names = { type: "array", items: { type: "string", minLength: 1 } } as const;

const rate = {
  type: "object",
  description: "So many a second on average, and so many at once",
  properties: {
    perSecond: { type: "number", description: "Calls a second, on average", exclusiveMinimum: 0 },
    burst: { type: "number", description: "Calls at once", minimum: 1 },
  },
  required: ["perSecond", "burst"],
  additionalProperties: false,
} as const;

const count = { type: "integer", minimum: 1 } as const;

/** Everything `biplane.yaml` may say. The table in docs/config.md is made from it. */
export const configSchema = {
  type: "object",
  additionalProperties: false,
  properties: {
    name: {
      type: "string",
      description: "What the house is called",
      default: "biplane",
      minLength: 1,
      maxLength: 128,
      environment: "BIPLANE_NAME",
    },
    mode: {
      type: "string",
      description: "Production shuts the doors of trainers and needs a policy",
      enum: ["simulation", "production"],
      default: "simulation",
      environment: "BIPLANE_MODE",
    },
    listen: {
      type: "string",
      description: "Where to listen: `stdio`, `http://host:port` or `ws://host:port`",
      default: "http://127.0.0.1:8000",
      pattern: String.raw`^(stdio|(http|ws)://[^\s/?#]+/?)$`,
      means: "stdio, http://host:port or ws://host:port",
      environment: "BIPLANE_LISTEN",
    },
    http: {
      type: "object",
      description: "What is accepted over HTTP",
      properties: {
        publicUrl: {
          type: "string",
          description: "The address others know the house by, such as `https://tools.example.com`, behind a proxy",
          pattern: "^https?://",
          means: "an address that begins with https://",
          environment: "BIPLANE_HTTP_PUBLIC_URL",
        },
        sandboxUrl: {
          type: "string",
          description:
            "Where apps run, on an origin of their own that leads here too, such as `https://{app}.apps.example.com`; on this machine `*.localhost` does",
          pattern: "^https?://",
          means: "an address that begins with https://",
          environment: "BIPLANE_HTTP_SANDBOX_URL",
        },
        trustedProxies: { ...names, description: "Addresses of proxies that are believed about whom they speak for" },
        allowedHosts: { ...names, description: "Further values of the Host header, such as `tools.example.com`" },
        allowedOrigins: { ...names, description: "Further values of the Origin header" },
        maxBodyBytes: {
          type: "integer",
          description: "The largest request",
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
      description: "Environments by the names of the gallery, or modules: what begins with `.` or `/`",
      default: [],
    },
    packs: {
      type: "object",
      description: "Packs of tools by name, each with its own options",
      additionalProperties: { type: "object" },
      default: {},
    },
    code: {
      type: "object",
      description: "Lets agents run code in which the tools are functions; see [agent code](code.md)",
      properties: {
        languages: {
          type: "array",
          description: "In which languages",
          items: { type: "string", enum: ["javascript", "python", "starlark"] },
          default: ["javascript"],
        },
        alone: {
          type: "boolean",
          description: "Whether the tools can be called from code only",
          default: false,
          environment: "BIPLANE_CODE_ALONE",
        },
      },
      additionalProperties: false,
    },
    mcpServers: {
      type: "object",
      description: "Servers to mount, by name, as desktop hosts write them",
      additionalProperties: {
        type: "object",
        properties: {
          command: { type: "string", description: "The program to start", minLength: 1 },
          args: { type: "array", description: "Its arguments", items: { type: "string" } },
          env: {
            type: "object",
            description: "Its environment",
            additionalProperties: { type: "string", writeOnly: true },
          },
          cwd: { ...path, description: "The folder it starts in" },
          type: { type: "string", description: "Such as `stdio` or `http`" },
          url: { type: "string", description: "The address of a server that runs", pattern: "^(http|ws)s?://" },
          headers: {
            type: "object",
            description: "Headers of each request to it",
            additionalProperties: { type: "string", writeOnly: true },
          },
        },
      },
      default: {},
    },
    policies: {
      type: "array",
      description: "Rules in the order they are tried; see [policies](policies.md)",
      items: { type: "object" },
    },
    policyDefault: {
      type: "string",
      description: "What holds where no rule fits",
      enum: ["allow", "deny", "ask"],
      default: "deny",
      environment: "BIPLANE_POLICY_DEFAULT",
    },
    limits: {
      description: "How often and how much at once; `false` for no limits",
      anyOf: [
        { type: "boolean", enum: [false] },
        {
          type: "object",
          properties: {
            perPrincipal: { description: "For each caller", anyOf: [{ type: "boolean", enum: [false] }, rate] },
            perTool: {
              type: "object",
              description: "For a tool, whoever calls it",
              additionalProperties: rate,
            },
            global: { ...rate, description: "For all calls together" },
            concurrency: {
              type: "object",
              description: "How many calls may run at the same time",
              properties: {
                perPrincipal: { ...count, description: "For each caller" },
                perTool: { type: "object", description: "For a tool", additionalProperties: count },
                global: { ...count, description: "For all calls together" },
              },
              additionalProperties: false,
            },
          },
          additionalProperties: false,
        },
      ],
    },
    approvals: {
      type: "object",
      description: "Who answers when a policy asks",
      properties: {
        byClient: {
          type: "boolean",
          description: "Whether the user of the client that calls may answer",
          default: false,
          environment: "BIPLANE_APPROVALS_BY_CLIENT",
        },
        expiresMinutes: {
          type: "number",
          description: "How long a question waits for its answer",
          default: 60,
          exclusiveMinimum: 0,
          environment: "BIPLANE_APPROVALS_EXPIRES_MINUTES",
        },
        simulated: {
          type: "object",
          description: "Stands in for a person while training",
          properties: {
            seed: { type: "integer", description: "The same seed gives the same answers", minimum: 0 },
            approve: { type: "number", description: "How likely a yes is", default: 1, minimum: 0, maximum: 1 },
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
      description: "What must never leave",
      properties: {
        key: {
          type: "object",
          description: "What the stored secrets are encrypted with",
          properties: {
            file: { ...path, description: "Made when it is missing" },
            environmentVariable: {
              type: "string",
              description: "Goes before the file when it is set: 32 bytes in base64 or hex",
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
            means: "capital letters, digits and underscores, a letter first",
          },
          additionalProperties: { type: "string", minLength: 8, maxLength: 4096, writeOnly: true },
        },
      },
      additionalProperties: false,
    },
    audit: {
      type: "object",
      description: "The log of every call",
      properties: {
        strict: {
          type: "boolean",
          description: "Calls wait until their line is on disk",
          default: false,
          environment: "BIPLANE_AUDIT_STRICT",
        },
      },
      additionalProperties: false,
      default: {},
    },
    auth: {
      type: "object",
      description: "Who is let in from the network",
      properties: {
        tokens: {
          type: "array",
          description: "Who holds a token",
          items: {
            type: "object",
            properties: {
              id: { type: "string", description: "Whom calls with it are counted and recorded as", minLength: 1 },
              kind: {
                type: "string",
                description: "A trainer's token opens the doors of trainers too",
                enum: ["token", "trainer"],
                default: "token",
              },
              scopes: { ...names, description: "What its holder may, for rules to ask for", default: [] },
              hash: {
                type: "string",
                description: "The token's SHA-256: `sha256:…`",
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
                description: "From then on it is refused: `2027-01-31T00:00:00Z`",
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
          description: "Access tokens of an authorization server",
          properties: {
            issuer: {
              type: "string",
              description: "Who makes them",
              pattern: "^https?://",
              means: "an address that begins with https://",
            },
            audience: { type: "string", description: "Whom they must be made for", minLength: 1 },
            jwks: {
              type: "string",
              description: "Where its keys are; left out, where the issuer says",
              pattern: "^https?://",
              means: "an address that begins with https://",
            },
            requiredScopes: { ...names, description: "Scopes that every call needs" },
            toolScopes: {
              type: "object",
              description: "The scopes that a tool needs, by a glob over its name",
              additionalProperties: names,
            },
          },
          required: ["issuer", "audience"],
          additionalProperties: false,
        },
        openTrainerDoors: {
          type: "boolean",
          description: "Let trainers in without credentials on an address that others can reach",
          default: false,
          environment: "BIPLANE_AUTH_OPEN_TRAINER_DOORS",
        },
      },
      additionalProperties: false,
      default: {},
    },
    people: {
      type: "object",
      description: "How people log in",
      properties: {
        idleHours: {
          type: "number",
          description: "How long a login lasts that nobody uses",
          default: 12,
          exclusiveMinimum: 0,
          environment: "BIPLANE_PEOPLE_IDLE_HOURS",
        },
        longestHours: {
          type: "number",
          description: "How long a login lasts at most",
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
      description: "What is told of what happens",
      properties: {
        level: {
          type: "string",
          description: "Lines below it are not written",
          enum: ["debug", "info", "warn", "error"],
          default: "info",
          environment: "BIPLANE_LOG_LEVEL",
        },
        format: {
          type: "string",
          description: "For people, or for programs",
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
      description: "The SQLite file in which durable things live; left out, memory",
      environment: "BIPLANE_STORE",
    },
  },
} as const satisfies Schema;

/** A checked config file with its defaults. It is frozen. */
export type Config = Omit<ValueOf<typeof configSchema>, "policies"> & { readonly policies?: readonly Rule[] };
