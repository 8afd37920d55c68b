import type { Rule } from "@biplane/core";
import type { ValueOf } from "@biplane/core/internal";
import { mountedOAuth } from "./mounted-oauth-schema.ts";
import type { Schema } from "./schema.ts";

// Builders of schemas. They keep literal types, so that the type of a config follows from its schema.

const text = <const More extends Schema>(description: string, more?: More) =>
  ({ type: "string", description, ...(more as More) }) as const;

const number = <const More extends Schema>(description: string, more?: More) =>
  ({ type: "number", description, ...(more as More) }) as const;

const integer = <const More extends Schema>(description: string, more?: More) =>
  ({ type: "integer", description, ...(more as More) }) as const;

/** True or false (default: false). */
const toggle = <const More extends Schema>(description: string, more?: More) =>
  ({ type: "boolean", description, default: false, ...(more as More) }) as const;

/** An object with these keys and no others. */
const group = <const Properties extends Record<string, Schema>>(description: string, properties: Properties) =>
  ({ type: "object", description, properties, additionalProperties: false }) as const;

/** The same, with the defaults of its keys if it is missing. */
const section = <const Properties extends Record<string, Schema>>(description: string, properties: Properties) =>
  ({ ...group(description, properties), default: {} }) as const;

/** An object with any keys. */
const map = <const Values extends Schema>(description: string, values: Values) =>
  ({ type: "object", description, additionalProperties: values }) as const;

const path = { type: "string", minLength: 1, format: "path" } as const;
const names = { type: "array", items: { type: "string", minLength: 1 } } as const;

const url = { pattern: "^https?://", means: "a URL that starts with https://" } as const;

/** What `biplane serve` allows each caller unless the config says otherwise. */
const defaultRate = { perSecond: 10, burst: 20 };

const rate = {
  ...group("Rate limit: average rate and burst", {
    perSecond: number("Average calls per second", { exclusiveMinimum: 0 }),
    burst: number("Calls allowed at once", { minimum: 1 }),
  }),
  required: ["perSecond", "burst"],
} as const;

const roleChoices = ["viewer", "approver", "operator", "owner"] as const;

const count = { type: "integer", minimum: 1 } as const;

const limit = (preset: number, description: string) => ({ ...count, default: preset, description }) as const;

const share = (perPrincipal: number, total: number, description: string) =>
  section(description, {
    perPrincipal: limit(perPrincipal, "Maximum for each caller"),
    total: limit(total, "Maximum for all callers together"),
  });

const duration = {
  type: "string",
  pattern: "^[1-9][0-9]{0,4}[hd]$",
  means: "a number of days or hours, such as 30d or 12h",
} as const;

const targetName = text("Name of the target, in the audit log and on the page", {
  pattern: "^[a-z0-9][a-z0-9-]{0,39}$",
  means: "lower-case letters, digits and dashes",
});

const webhookSecret = {
  pattern: "^whsec_[A-Za-z0-9+/]{32,88}={0,2}$",
  means: "whsec_ and 24 to 64 random bytes in base64",
  writeOnly: true,
} as const;

const answering = {
  answerLinks: {
    type: "boolean",
    description: "Send a link that answers this one call without signing in, once",
    default: false,
  },
  person: text("The person who gets the messages; answers by link count as this person's", { minLength: 1 }),
} as const;

/** Everything that `biplane.yaml` may contain. The table in docs/config.md is generated from it. */
export const configSchema = {
  type: "object",
  additionalProperties: false,
  properties: {
    name: text("Name of the installation", {
      default: "biplane",
      minLength: 1,
      maxLength: 128,
      environment: "BIPLANE_NAME",
    }),
    mode: text("`production` closes the trainer endpoints and requires a policy", {
      enum: ["simulation", "production"],
      default: "simulation",
      environment: "BIPLANE_MODE",
    }),
    listen: text("Address to listen on: `stdio`, `http://host:port` or `ws://host:port`", {
      default: "http://127.0.0.1:8000",
      pattern: String.raw`^(stdio|(http|ws)://[^\s/?#]+/?)$`,
      means: "stdio, http://host:port or ws://host:port",
      environment: "BIPLANE_LISTEN",
    }),
    http: group("HTTP settings", {
      publicUrl: text("Public URL behind a proxy, such as `https://tools.example.com`", {
        ...url,
        environment: "BIPLANE_HTTP_PUBLIC_URL",
      }),
      sandboxUrl: text(
        "Separate origin for apps that also resolves to this server, such as `https://{app}.apps.example.com` (default on loopback: `*.localhost`)",
        { ...url, environment: "BIPLANE_HTTP_SANDBOX_URL" },
      ),
      discoverable: {
        type: "boolean",
        description:
          "Serve Server Cards and a catalogue without credentials (default: on loopback only); see [discovery](discovery.md)",
        environment: "BIPLANE_HTTP_DISCOVERABLE",
      },
      trustedProxies: { ...names, description: "Addresses of proxies whose forwarding headers are trusted" },
      allowedHosts: { ...names, description: "More accepted values of the `Host` header, such as `tools.example.com`" },
      allowedOrigins: { ...names, description: "More accepted values of the `Origin` header" },
      maxBodyBytes: integer("Maximum size of a request body", {
        minimum: 1024,
        environment: "BIPLANE_HTTP_MAX_BODY_BYTES",
      }),
      orsRewards: text("`reward` in ORS answers: the episode's `total` so far, or that of the `step`", {
        enum: ["total", "step"],
        environment: "BIPLANE_HTTP_ORS_REWARDS",
      }),
      fastLane: {
        type: "boolean",
        description: "Answer plain calls without `node:http` (default: true); see [servers](servers.md#the-fast-lane)",
        environment: "BIPLANE_HTTP_FAST_LANE",
      },
    }),
    fleet: group("Several servers on one Postgres database; see [deployment](deploy.md)", {
      address: text("Where the other servers reach this one (default: its first address that is not local)", {
        ...url,
        environment: "BIPLANE_FLEET_ADDRESS",
      }),
    }),
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
    data: {
      ...path,
      description: "Folder with the data of the `tau2-…` environments",
      environment: "BIPLANE_DATA",
    },
    packs: { ...map("Tool packs by name, each with its own options", { type: "object" }), default: {} },
    skills: {
      type: "array",
      description: "Folders with skills, which clients load when their model needs them; see [skills](skills.md)",
      items: path,
      default: [],
    },
    code: group("Lets agents run code that calls tools as functions; see [agent code](code.md)", {
      languages: {
        type: "array",
        description: "Languages that agents may use",
        items: { type: "string", enum: ["javascript", "python", "starlark"] },
        default: ["javascript"],
      },
      alone: toggle("Expose the tools to code only", { environment: "BIPLANE_CODE_ALONE" }),
      workers: {
        ...count,
        description: "Actions that compute at once, in all languages (default: one more than processors, at least 3)",
        maximum: 256,
        environment: "BIPLANE_CODE_WORKERS",
      },
      limits: section("Limits of one action; see [agent code](code.md#limits-of-an-action)", {
        wallMs: limit(60_000, "Wall-clock time, without waits for approval"),
        cpuMs: limit(5000, "Time spent computing"),
        memoryBytes: { ...limit(64 * 1024 * 1024, "Memory"), minimum: 1024 * 1024, maximum: 2 * 1024 ** 3 },
        stackBytes: { ...limit(256 * 1024, "Stack"), minimum: 16 * 1024, maximum: 512 * 1024 },
        outputBytes: limit(64 * 1024, "Printed text; more is truncated"),
        valueBytes: limit(256 * 1024, "The result as JSON; more is truncated"),
        sourceBytes: limit(128 * 1024, "The code itself"),
        calls: limit(1000, "Tool calls"),
      }),
    }),
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
      ...map("MCP servers to mount, by name, in the format of desktop hosts", {
        type: "object",
        properties: {
          command: text("Command to start", { minLength: 1 }),
          args: { type: "array", description: "Command arguments", items: { type: "string" } },
          env: map("Environment variables", { type: "string", writeOnly: true }),
          cwd: { ...path, description: "Working directory" },
          type: text("Transport, such as `stdio` or `http`"),
          url: text("URL of a running server", { pattern: "^(http|ws)s?://" }),
          headers: map("Headers sent with each request", { type: "string", writeOnly: true }),
          oauth: mountedOAuth,
        },
      }),
      default: {},
    },
    policies: {
      type: "array",
      description: "Rules, in order of evaluation; see [policies](policies.md)",
      items: { type: "object" },
    },
    policyDefault: text("Decision if no rule matches", {
      enum: ["allow", "deny", "ask"],
      default: "deny",
      environment: "BIPLANE_POLICY_DEFAULT",
    }),
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
            perTool: map("Rate limit per tool, across all callers", rate),
            global: { ...rate, description: "Rate limit for all calls together" },
            concurrency: section("Maximum number of calls that run at the same time", {
              perPrincipal: { ...count, description: "Per caller", default: 50 },
              perTool: map("Per tool", count),
              global: { ...count, description: "For all calls together" },
            }),
            held: section("What callers can hold at once; see [limits](limits.md)", {
              codeBytes: share(128 * 1024 * 1024, 512 * 1024 * 1024, "Bytes of code state"),
              codeActions: share(32, 4096, "Code actions that run or wait"),
              waitingCalls: share(100, 2000, "Calls that wait for approval"),
              webSockets: share(64, 16_384, "WebSocket connections"),
            }),
          },
          additionalProperties: false,
        },
      ],
    },
    approvals: section("What happens when a policy asks", {
      byClient: toggle("Ask the user of the calling client, if it supports elicitation", {
        environment: "BIPLANE_APPROVALS_BY_CLIENT",
      }),
      expiresMinutes: number("Minutes until an approval that nobody answers expires", {
        default: 60,
        exclusiveMinimum: 0,
        environment: "BIPLANE_APPROVALS_EXPIRES_MINUTES",
      }),
      simulated: {
        ...group("Simulates a person during training", {
          seed: integer("Equal seeds give equal answers", { minimum: 0 }),
          approve: number("Probability of approval", { default: 1, minimum: 0, maximum: 1 }),
        }),
        required: ["seed"],
      },
    }),
    notifications: section("Messages about calls that wait for approval; see [notifications](notifications.md)", {
      webhooks: {
        type: "array",
        description: "Webhooks, signed according to Standard Webhooks",
        default: [],
        items: {
          type: "object",
          properties: {
            name: targetName,
            url: text("Where to post; `https://`, or `http://` to a host in `notifications.allow`", {
              pattern: "^https?://",
              means: "a URL that starts with https://",
              writeOnly: true,
            }),
            secret: text("Signs the messages: `whsec_` and 24 to 64 bytes in base64, as a reference", webhookSecret),
            previousSecret: text("Signs them too, while receivers change to the new one", webhookSecret),
            ...answering,
          },
          required: ["name", "url", "secret"],
          additionalProperties: false,
        },
      },
      chat: {
        type: "array",
        description: "Chats, through the [chat pack](packs/chat.md) of this config",
        default: [],
        items: {
          type: "object",
          properties: {
            name: targetName,
            provider: text("Where the pack sends", { enum: ["slack", "discord", "telegram", "local"] }),
            target: text("One of the pack's `targets`, such as `channel:C0123456`", { minLength: 1, maxLength: 100 }),
            ...answering,
          },
          required: ["name", "provider", "target"],
          additionalProperties: false,
        },
      },
      allow: {
        ...names,
        description: "Non-public hosts, addresses and CIDR ranges that webhooks may be sent to",
        default: [],
      },
      linkMinutes: number("Minutes until an answer link expires, at most until the question does", {
        default: 30,
        exclusiveMinimum: 0,
        environment: "BIPLANE_NOTIFICATIONS_LINK_MINUTES",
      }),
    }),
    secrets: group("Values that are redacted from all output", {
      key: group("Encryption key of the stored secrets", {
        file: { ...path, description: "Key file, created if it does not exist" },
        environmentVariable: text("Variable that takes precedence over the file: 32 bytes in base64 or hex", {
          minLength: 1,
        }),
      }),
      values: {
        ...map("Secrets by name, as references: `CRM_TOKEN: ${CRM_TOKEN}`", {
          type: "string",
          minLength: 8,
          maxLength: 4096,
          writeOnly: true,
        }),
        propertyNames: {
          pattern: "^[A-Z][A-Z0-9_]{0,63}$",
          means: "capital letters, digits and underscores, starting with a letter",
        },
      },
    }),
    audit: section("The audit log", {
      strict: toggle("Calls wait until their audit line is on disk", { environment: "BIPLANE_AUDIT_STRICT" }),
    }),
    auth: section("Authentication of agents and trainers", {
      tokens: {
        type: "array",
        description: "Bearer tokens",
        items: {
          type: "object",
          properties: {
            id: text("Principal id of calls with this token", { minLength: 1 }),
            kind: text("`trainer` tokens also open the trainer endpoints", {
              enum: ["token", "trainer"],
              default: "token",
            }),
            scopes: { ...names, description: "Scopes that policies can require", default: [] },
            hash: text("SHA-256 of the token: `sha256:…`", {
              pattern: "^sha256:[0-9a-f]{64}$",
              means: "sha256: and 64 hex digits",
            }),
            token: text("The token itself, as a reference: `${ADA_TOKEN}`", { minLength: 24, writeOnly: true }),
            expiresAt: text("Expiry time: `2027-01-31T00:00:00Z`", {
              pattern: String.raw`^\d{4}-\d\d-\d\dT\d\d:\d\d`,
              means: "a time such as 2027-01-31T00:00:00Z",
            }),
          },
          required: ["id"],
          additionalProperties: false,
        },
      },
      oauth: {
        ...group("OAuth access tokens", {
          issuer: text("URL of the authorization server", url),
          audience: text("Required `aud` claim", { minLength: 1 }),
          jwks: text("URL of its key set (default: from the issuer's metadata)", url),
          resource: text("URL of this server that clients request tokens for (default: `audience`)", url),
          tokenTypes: {
            ...names,
            description: "Accepted `typ` of signed tokens (default: `at+jwt`); add `JWT` if the issuer cannot set it",
          },
          requiredScopes: { ...names, description: "Scopes that every token needs" },
          toolScopes: map("Scopes per tool, by glob over its name", names),
          dpop: group("Tokens that are bound to a key (DPoP); see [identity](identity.md#tokens-bound-to-a-key)", {
            required: toggle("Refuse tokens that are not bound to a key", {}),
            nonce: toggle("Demand a nonce of this server in every proof", {}),
            maxAgeSeconds: integer("How old a proof may be", { minimum: 1, maximum: 3600, default: 60 }),
          }),
          introspection: {
            ...group("Asks the issuer about tokens that are not signed (RFC 7662)", {
              clientId: text("Client by which the issuer knows this server", { minLength: 1 }),
              clientSecret: text("Its secret, as a reference: `${INTROSPECTION_SECRET}`", {
                minLength: 1,
                writeOnly: true,
              }),
              endpoint: text("Introspection endpoint (default: from the issuer's metadata)", url),
              always: toggle("Also ask about signed tokens, so that revoked ones are refused", {}),
            }),
            required: ["clientId", "clientSecret"],
          },
        }),
        required: ["issuer", "audience"],
      },
      storedTokens: toggle(
        "Agents and trainers need a token that was made on the page, unless tokens are listed here",
        {
          environment: "BIPLANE_AUTH_STORED_TOKENS",
        },
      ),
      openTrainerEndpoints: toggle("Open the trainer endpoints without credentials on a non-loopback address", {
        environment: "BIPLANE_AUTH_OPEN_TRAINER_ENDPOINTS",
        former: { key: "openTrainerDoors", environment: "BIPLANE_AUTH_OPEN_TRAINER_DOORS" },
      }),
    }),
    signIn: group("How people sign in to the page, besides passphrases; see [access](access.md#people)", {
      oidc: {
        ...group("An OpenID Connect provider. Register `<public URL>/` with it as the redirect address", {
          issuer: text("URL of the provider, as in the `iss` claim of its tokens", url),
          clientId: text("Id of this server at the provider", { minLength: 1 }),
          clientSecret: text("Secret of this server, as a reference: `${OIDC_SECRET}` (default: a public client)", {
            minLength: 1,
            writeOnly: true,
          }),
          label: text("Name of the provider on the page (default: the issuer's host)", { minLength: 1, maxLength: 60 }),
          scopes: { ...names, description: "Requested scopes", default: ["openid", "profile", "email"] },
          nameClaim: text("Claim with the account's name (default: `preferred_username`, otherwise `email`)", {
            minLength: 1,
          }),
          rolesClaim: text("Claim with the groups of a person", { default: "groups", minLength: 1 }),
          roles: map("Roles by group; a person in several gets the highest", { type: "string", enum: roleChoices }),
          tokenHours: number("How long personal tokens work after the last sign-in with the provider, in hours", {
            default: 24,
            exclusiveMinimum: 0,
          }),
          defaultRole: text("Role of a person in none of these groups (default: none, who cannot sign in)", {
            enum: roleChoices,
          }),
        }),
        required: ["issuer", "clientId"],
      },
    }),
    people: section("Sessions of people on the page", {
      idleHours: number("Hours of inactivity after which a session ends", {
        default: 12,
        exclusiveMinimum: 0,
        environment: "BIPLANE_PEOPLE_IDLE_HOURS",
      }),
      longestHours: number("Maximum lifetime of a session, in hours", {
        default: 168,
        exclusiveMinimum: 0,
        environment: "BIPLANE_PEOPLE_LONGEST_HOURS",
      }),
    }),
    logging: section("Log output", {
      level: text("Lowest level that is written", {
        enum: ["debug", "info", "warn", "error"],
        default: "info",
        environment: "BIPLANE_LOG_LEVEL",
      }),
      format: text("`pretty` for people, `json` for programs", {
        enum: ["pretty", "json"],
        default: "pretty",
        environment: "BIPLANE_LOG_FORMAT",
      }),
    }),
    store: {
      ...path,
      description: "SQLite file, or Postgres URL, for durable data (default: in memory)",
      environment: "BIPLANE_STORE",
    },
    record: {
      ...path,
      description: "Folder in which to record sessions; see [recordings](recordings.md)",
      environment: "BIPLANE_RECORD",
    },
    keep: {
      description:
        "How long the store keeps data, such as `30d` for calls and runs, or by kind; see [retention](store.md#retention)",
      default: {},
      anyOf: [
        duration,
        {
          type: "object",
          properties: {
            calls: {
              type: "string",
              description: "How long calls stay, with input and result; `none` to keep only the latest, in memory",
              pattern: "^(none|[1-9][0-9]{0,4}[hd])$",
              means: "a number of days or hours, such as 30d or 12h, or none",
              default: "30d",
            },
            traces: {
              ...duration,
              description: "How long traces of runs stay; their rewards and scores are not deleted (default: forever)",
            },
            runs: { ...duration, description: "Runs with everything in them (default: forever)" },
            audit: { ...duration, description: "Audit lines; older ones are exported and cut (default: forever)" },
            auditExports: { ...duration, description: "Files of exported audit lines (default: forever)" },
            auditFolder: {
              ...path,
              description: "Folder for exported audit lines (default: the SQLite file's name with `.audit`)",
            },
          },
          additionalProperties: false,
        },
      ],
    },
  },
} as const satisfies Schema;

/** A checked config file with defaults. It is frozen. */
export type Config = Omit<ValueOf<typeof configSchema, true>, "policies"> & { readonly policies?: readonly Rule[] };
