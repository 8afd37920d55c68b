import { existsSync } from "node:fs";
import { sandboxEndpoint } from "@biplane/core/apps/sandbox";
import type { SandboxEndpoint } from "@biplane/core/apps/sandbox";
import type { Config } from "../config/config-schema.ts";
import type { ResolvedConfig } from "../config/resolve-config.ts";
import type { ModuleState } from "../admin/events/event-api.ts";
import { openAdminApi } from "../admin/admin-api.ts";
import type { AdminApi } from "../admin/admin-api.ts";
import { pageEndpoint } from "../admin/page-endpoint.ts";
import { ScriptReview } from "../admin/scripts/script-review.ts";
import type { ScriptRouteParts } from "../admin/scripts/script-routes.ts";
import { scriptSettings } from "../admin/scripts/script-settings.ts";
import { Environment, isLoopback } from "@biplane/core/internal";
import type { Fleet } from "@biplane/core/internal";
import type { Logger } from "../observe/logs.ts";
import { packs } from "../pack/packs.ts";
import type { PageEndpoint } from "@biplane/core/internal";
import type { Listening } from "@biplane/core";
import { openStore } from "../store/sql-store.ts";
import type { SqlStore } from "../store/sql-store.ts";
import type { Served } from "@biplane/core";
import type { StoredTokens } from "../governance/access/stored-tokens.ts";
import { needsCredentials } from "./endpoints.ts";
import { storesCalls } from "./retention.ts";
import { settingsInForce } from "./settings-in-force.ts";
import type { Runtime } from "./runtime.ts";
import { runsFile } from "../store/runs/runs-file.ts";
import { version } from "./version.ts";

/** The admin API, the admin page, and the sandbox in which the page shows apps. */
export interface AdminUi extends AsyncDisposable {
  readonly admin: AdminApi;
  readonly page: PageEndpoint;
  readonly sandbox: SandboxEndpoint | undefined;
}

export interface AdminUiOptions {
  readonly resolved: ResolvedConfig;
  readonly runtime: Runtime;
  readonly served: readonly Served[];
  readonly log: Logger;
  /** Set by `biplane app dev`: the state of the module it reloads. */
  readonly module?: (() => ModuleState) | undefined;
  readonly fleet: Fleet | undefined;
  /** Tokens of agents and trainers that were made on the page. */
  readonly tokens: StoredTokens;
  /** Undefined until the host listens. */
  readonly listening: () => Listening | undefined;
}

export async function openAdminUi(parts: AdminUiOptions): Promise<AdminUi> {
  const { resolved, runtime, served, log, module, listening, fleet, tokens } = parts;
  const { config } = resolved;
  const url = () => config.http?.publicUrl ?? listening()?.url ?? config.listen;
  const sandbox = sandboxFor(config, url);
  const sandboxAddress = () => (sandbox ? withPort(sandbox.address, url()) : null);
  const runs = await runsOf(config);
  const options = Object.fromEntries(Object.entries(packs).map(([name, pack]) => [name, pack.options]));
  const admin = openAdminApi({
    name: config.name,
    version,
    served,
    url,
    sandbox: sandboxAddress,
    approvals: runtime.approvals,
    audit: runtime.audit,
    connections: () => listening()?.connections,
    module,
    stores: [runtime.store, ...runs],
    callStore: storesCalls(config) ? runtime.store : undefined,
    statisticsStore: runtime.store,
    auditLog: runtime.store,
    fleet: fleet && { store: runtime.store, processId: () => fleet.processId },
    policies: { config: resolved, policies: runtime.policies, published: runtime.published, hits: runtime.hits },
    scripts: scriptsOf(config, runtime, served),
    settings: {
      config: resolved,
      packs: options,
      inForce: () =>
        settingsInForce({ resolved, served, url: listening()?.url, sandbox: sandboxAddress() ?? undefined }),
      published: runtime.published,
      secrets: runtime.secrets,
      tokens: { tokens, isRequired: needsCredentials(config.auth), configured: config.auth.tokens },
    },
    onFault: (fault, where) => log.error(`${where} failed`, { error: fault }),
  });
  return {
    admin,
    sandbox,
    page: pageEndpoint({ frames: sandbox && framesOf(sandbox.address) }),
    async [Symbol.asyncDispose]() {
      await admin.close();
      for (const store of runs) await store.close();
    },
  };
}

/**
 * Apps run on their own origin. On loopback that is a subdomain of localhost; elsewhere `http.sandboxUrl` names it.
 * Without one, the page shows an app's result as text.
 */
function sandboxFor({ listen, http = {} }: Config, url: () => string): SandboxEndpoint | undefined {
  const { publicUrl, sandboxUrl } = http;
  const ownUrl = publicUrl ?? listen;
  const isLocal = ownUrl !== "stdio" && isLoopback(new URL(ownUrl).hostname);
  const address = sandboxUrl ?? (isLocal ? "http://{app}.localhost" : undefined);
  if (address === undefined) return undefined;
  // The page may use any loopback name, but only its own port: a program on another port could impersonate any app.
  const isPageOrigin = (origin: string) => {
    const { hostname, port } = new URL(origin);
    if (publicUrl !== undefined) return origin === new URL(publicUrl).origin;
    return isLoopback(hostname) && port === new URL(url()).port;
  };
  return sandboxEndpoint({ address, hosts: isPageOrigin });
}

/** Adds the port to the localhost default, once it is known. A configured `sandboxUrl` is complete. */
function withPort(address: string, url: string): string {
  return address === "http://{app}.localhost" ? `${address}:${new URL(url).port || 80}` : address;
}

function framesOf(address: string): string {
  return address === "http://{app}.localhost" ? "http://*.localhost:*" : address.replace("{app}", "*");
}

/** The store in which `biplane rollout` keeps runs, if it exists and is not the host's own store. */
async function runsOf({ store }: Config): Promise<SqlStore[]> {
  return existsSync(runsFile) && store !== runsFile ? [await openStore(runsFile)] : [];
}

function scriptsOf(
  config: Config,
  { approvals, secrets, store }: Runtime,
  served: readonly Served[],
): ScriptRouteParts {
  const written = config.packs["script"];
  const server = served.find((each) => each.name === config.name);
  if (!written || !server || server instanceof Environment) return {};
  const settings = scriptSettings(written, {
    server: config.name,
    approvals,
    secrets: (name: string) => secrets.get(name),
  });
  return { review: new ScriptReview({ server: config.name, settings, approvals, store }), server, secrets };
}
