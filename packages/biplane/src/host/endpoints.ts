import cluster from "node:cluster";
import { bearerTokens } from "../governance/access/bearer-tokens.ts";
import { firstOf } from "../governance/access/first-of.ts";
import type { SignInKeys } from "../governance/people/sign-in-keys.ts";
import type { StoredTokens } from "../governance/access/stored-tokens.ts";
import type { OidcSignIn } from "../governance/people/oidc.ts";
import type { People } from "../governance/people/people.ts";
import type { Config } from "../config/config-schema.ts";
import { logRequests } from "../observe/log-requests.ts";
import type { Logger } from "../observe/logs.ts";
import { metricsEndpoint } from "../observe/metrics-endpoint.ts";
import type { Metrics } from "../observe/metrics.ts";
import type { Authenticate, ServeOptions } from "@biplane/core";
import type { AdminEndpoint } from "@biplane/core/internal";
import { isLoopback } from "@biplane/core/internal";
import type { AdminApi } from "../admin/admin-api.ts";
import { httpSettings } from "./http-settings.ts";
import type { Notifications } from "./notifications.ts";
import type { Runtime } from "./runtime.ts";
import type { AdminUi } from "./admin-ui.ts";
import { version } from "./version.ts";

export interface HostEndpoints {
  readonly options: ServeOptions;
  /** The code that creates the first account, while there is none. */
  readonly setupCode: () => Promise<string | undefined>;
}

export interface HostEndpointOptions {
  readonly config: Config;
  readonly runtime: Runtime;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly adminUi: AdminUi;
  /** Tokens of agents and trainers that were made on the page. */
  readonly tokens: StoredTokens;
  /** Seals what MCP clients send back. */
  readonly stateKey: string;
  /** Single-use sign-in keys (default: none are accepted). */
  readonly keys?: SignInKeys | undefined;
  readonly notifications: Notifications;
}

/** The options for `serve()` that the config describes: authentication, the admin page, metrics, readiness. */
export async function openEndpoints(options: HostEndpointOptions): Promise<HostEndpoints> {
  const { config, runtime, log, metrics, adminUi, keys, stateKey, tokens, notifications } = options;
  const { auth } = config;
  const { sandboxUrl: _, ...http } = httpSettings(config);
  const { admin, page, sandbox } = adminUi;
  const authenticate = await authenticator(auth, { stored: tokens, store: runtime.store, stateKey });
  const people = lazyAdminEndpoint(config, runtime, { admin, keys, notifications, provider: await providerOf(config) });
  const serveOptions: ServeOptions = {
    url: config.listen,
    ownPort: cluster.isWorker && runtime.store.isShared, // Others on the same port must reach this process.
    stateKey,
    ...http,
    ...(authenticate && { authenticate }),
    openTrainerEndpoints: auth.openTrainerEndpoints,
    metrics: metricsEndpoint(metrics),
    requestLog: logRequests(log.named("mcp")),
    ...(mayLogIn(config) && { people, page, ...(sandbox && { sandbox }) }),
    ready: { store: async () => void (await runtime.store.audit.last()) },
  };
  return { options: serveOptions, setupCode: async () => (mayLogIn(config) ? people.setupCode() : undefined) };
}

/** True if callers need credentials. */
export function needsCredentials({ tokens = [], oauth, storedTokens }: Config["auth"]): boolean {
  return tokens.length > 0 || oauth !== undefined || storedTokens;
}

async function authenticator(
  auth: Config["auth"],
  { stored, ...shared }: Shared & { readonly stored: StoredTokens },
): Promise<Authenticate | undefined> {
  if (!needsCredentials(auth)) return undefined;
  const { tokens = [], oauth } = auth;
  const accepted: Authenticate[] = [];
  if (tokens.length > 0) accepted.push(bearerTokens(tokens));
  accepted.push(stored.authenticate);
  if (oauth) accepted.push(await oauthOf(oauth, shared));
  return accepted.length > 1 ? firstOf(...accepted) : accepted[0];
}

/** What the processes of a fleet share. */
type Shared = Pick<Runtime, "store"> & Pick<HostEndpointOptions, "stateKey">;

async function oauthOf(
  oauth: NonNullable<Config["auth"]["oauth"]>,
  { store, stateKey }: Shared,
): Promise<Authenticate> {
  const { oauthResource } = await import("../governance/access/oauth-resource.ts");
  const { storeReplayGuard } = await import("../governance/access/replay-guard.ts");
  const { jwks, toolScopes = {}, dpop, ...rest } = oauth;
  return oauthResource({
    ...rest,
    scopes: [...new Set(Object.values(toolScopes).flat())],
    ...(jwks !== undefined && { jwksUri: jwks }),
    dpop: {
      ...(dpop && { required: dpop.required, maxAgeSeconds: dpop.maxAgeSeconds }),
      ...(dpop?.nonce && { nonce: { key: stateKey } }),
      ...(store.isShared && { replay: storeReplayGuard(store) }),
    },
  });
}

/** Passphrases are accepted only on loopback or at the configured public address. */
function mayLogIn({ listen, http }: Config): boolean {
  if (listen === "stdio") return false;
  return http?.publicUrl !== undefined || isLoopback(new URL(listen).hostname);
}

async function providerOf({ signIn }: Config): Promise<OidcSignIn | undefined> {
  if (!signIn?.oidc) return undefined;
  const { OidcSignIn } = await import("../governance/people/oidc.ts");
  return new OidcSignIn(signIn.oidc);
}

interface LoginParts {
  readonly admin: AdminApi;
  readonly keys: SignInKeys | undefined;
  readonly provider: OidcSignIn | undefined;
  readonly notifications: HostEndpointOptions["notifications"];
}

/** Loads what signing in needs at the first request to the admin API, because most hosts never get one. */
function lazyAdminEndpoint(
  config: Config,
  runtime: Runtime,
  { admin, keys, notifications, provider }: LoginParts,
): AdminEndpoint & { setupCode(): Promise<string | undefined> } {
  let opened: Promise<{ people: People; endpoints: AdminEndpoint }> | undefined;
  const open = async () => {
    const { store, audit, secrets, approvals } = runtime;
    const [{ openPeople }, { adminApiHandler }, { describeApi }] = await Promise.all([
      import("../governance/people/people.ts"),
      import("../admin/http/api-handler.ts"),
      import("../admin/openapi/document.ts"),
    ]);
    const { idleHours, longestHours } = config.people;
    const sessions = { idleMs: idleHours * 3_600_000, longestMs: longestHours * 3_600_000 };
    const { tokenHours } = config.signIn?.oidc ?? {};
    const providedTokenMs = tokenHours === undefined ? undefined : tokenHours * 3_600_000;
    const people = openPeople({ store, audit, sessions, keys, providedTokenMs });
    const parts = {
      name: config.name,
      people,
      provider,
      secrets,
      approvals,
      notifications,
      log: store,
      ...(audit && { audit }),
    };
    const routes = await admin.routes(people);
    return { people, endpoints: adminApiHandler({ ...parts, routes, describe: describeApi(version) }) };
  };
  return {
    handle: async (request) => (await (opened ??= open())).endpoints.handle(request),
    setupCode: async () => (await (opened ??= open())).people.setupCode(),
  };
}
