import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ask, environment, resource, server, tool } from "biplane";
import type { Server } from "biplane";
import { openStore } from "biplane/store";
import { bearerTokens } from "../../packages/biplane/src/governance/access/bearer-tokens.ts";
import { StoredTokens } from "../../packages/biplane/src/governance/access/stored-tokens.ts";
import type { OidcSignIn } from "../../packages/biplane/src/governance/people/oidc.ts";
import { newToken } from "../../packages/biplane/src/governance/access/token.ts";
import { adminApiHandler } from "../../packages/biplane/src/admin/http/api-handler.ts";
import type { ApiRoutes } from "../../packages/biplane/src/admin/http/routes.ts";
import { openApprovals } from "../../packages/biplane/src/governance/approvals/approvals.ts";
import type { Approvals } from "../../packages/biplane/src/governance/approvals/approvals.ts";
import { openAudit } from "../../packages/biplane/src/governance/audit/audit.ts";
import type { Audit } from "../../packages/biplane/src/governance/audit/audit.ts";
import { DeliveryQueue } from "../../packages/biplane/src/governance/notifications/delivery-queue.ts";
import { openPeople } from "../../packages/biplane/src/governance/people/people.ts";
import type { People } from "../../packages/biplane/src/governance/people/people.ts";
import { openSecrets } from "../../packages/biplane/src/governance/secrets/secrets.ts";
import type { Secrets } from "../../packages/biplane/src/governance/secrets/secrets.ts";
import { resolveConfig } from "../../packages/biplane/src/config/resolve-config.ts";
import { openAdminApi } from "../../packages/biplane/src/admin/admin-api.ts";
import { describeApi } from "../../packages/biplane/src/admin/openapi/document.ts";
import { ScriptReview } from "../../packages/biplane/src/admin/scripts/script-review.ts";
import { scriptSettings } from "../../packages/biplane/src/admin/scripts/script-settings.ts";
import { frozenLake } from "../../packages/gallery/src/frozen-lake/frozen-lake.ts";
import { scriptPack } from "../../packages/biplane/src/pack/script/pack.ts";
import type { Environment } from "../../packages/core/src/environment/environment.ts";
import type { SqlStore } from "biplane/store";
import type { Connections } from "../../packages/core/src/server/connections.ts";
import { serve } from "../../packages/core/src/wire/serve.ts";
import { openGovernanceParts } from "../support/governance-parts.ts";
import type { GovernanceParts } from "../support/governance-parts.ts";
import { sessionHeaders } from "../support/session.ts";
import type { SessionHeaders } from "../support/session.ts";

export const passphrase = "correct horse battery staple";
/** What must never be seen: one in the store, one that the config refers to. */
export const stored = "stored-secret-of-the-gateway";
export const referred = "referred-secret-of-the-config";

/** A server with scripts and a game behind one port, and the whole of the people's API, everything real. */
export async function openGateway(options: GatewayOptions = {}): Promise<Gateway> {
  const root = mkdtempSync(join(tmpdir(), "biplane-kit-"));
  const write = (name: string, source: string | Uint8Array) => writeFileSync(join(root, `${name}.star`), source);
  for (const [name, source] of Object.entries(options.scripts ?? {})) write(name, source);
  const store = options.store ?? (await openStore(":memory:"));
  const faults: unknown[] = [];
  const onFault = (fault: unknown) => void faults.push(fault);
  const audit = openAudit({ store, maxDelayMs: 0, onFault });
  const people = openPeople({ store, audit, cost: { N: 1024, r: 8, p: 1 }, throttle: { free: 1e6 } });
  const secrets = await openSecrets({ store, key: randomBytes(32), environment: {} });
  await secrets.set("STORED", stored);
  const queue = new DeliveryQueue(store, ["phone"]);
  const approvals = openApprovals({ store, audit, outbox: queue, pollMs: 5 });
  const governance = openGovernanceParts({ store, queue, approvals, audit, onFault });
  const parts = { server: "gateway", approvals, secrets: (name: string) => secrets.get(name) };
  const settings = scriptSettings({ root, workers: 1, tools: options.tools ?? [], maxSteps: 1_000_000 }, parts);
  const gateway = server({
    name: "gateway",
    version: "1",
    packs: [scriptPack(settings)],
    tools: [
      tool({
        name: "echo",
        input: { type: "object", properties: { text: { type: "string" } } },
        idempotent: true,
        run: (input) => input,
      }),
      tool({ name: "refund", input: { type: "object", properties: { amount: {} } }, run: (input) => input }),
    ],
    resources: [resource({ name: "note", uri: "note://one", mimeType: "text/plain", read: () => "a note" })],
    policies: [(_, name) => (name === "refund" ? ask("Refund it?") : { verdict: "allow" })],
  });
  const game = environment({
    name: "game",
    version: "1",
    start: () => ({ count: 0 }),
    observe: ({ count }) => ({ count }),
    tools: (define) => ({ add: define({ run: (_, call) => void call.state.count++ }) }),
    status: ({ count }) => ({ terminated: count >= 3 }),
  });
  const accessTokens = await StoredTokens.open({ store, audit });
  const lake = frozenLake();
  const served = [gateway, game, lake];
  let connections: Connections | undefined;
  let url = "";
  const kit = openAdminApi({
    name: "gateway",
    version: "1",
    served,
    url: () => url,
    approvals,
    audit,
    connections: () => connections,
    stores: [store],
    statisticsStore: store,
    auditLog: store,
    scripts: { review: new ScriptReview({ server: "gateway", settings, approvals, store }), server: gateway, secrets },
    settings: { config: configOf(options.config ?? ""), secrets, tokens: { tokens: accessTokens, isRequired: false } },
    policies: governance.policies,
  });
  kit.log.onCall((call) => governance.policies.hits.count(call));
  await governance.start(served);
  for (const each of served)
    each.govern({ store, audit, approver: approvals, secrets, onFault, limits: false, meters: [kit.meterOf(each)] });
  const agentToken = newToken("biplane_t_");
  const tokens = bearerTokens([
    { id: "agent", token: agentToken, scopes: ["*"] },
    { id: "gym", token: newToken("biplane_t_"), kind: "trainer", scopes: ["*"] },
  ]);
  let routes: ApiRoutes = {};
  const describe = describeApi("1");
  const listening = await serve(served, {
    url: "http://127.0.0.1:0",
    graceMs: 100,
    ...(options.isGuarded && { authenticate: tokens }),
    people: adminApiHandler({
      people,
      provider: options.provider,
      secrets,
      approvals,
      notifications: governance.notifications,
      log: store,
      audit,
      routes: await kit.routes(people),
      describe: (all) => {
        const own = describe(all);
        routes = { ...all, ...own };
        return own;
      },
    }),
  });
  url = listening.url;
  connections = listening.connections;
  await people.add({ name: "ada", passphrase });
  return {
    url,
    root,
    write,
    routes,
    gateway,
    lake,
    people,
    secrets,
    approvals,
    governance,
    audit,
    store,
    faults,
    agentToken,
    ask: async (line, body, headers = {}) => {
      const [method = "", path = ""] = line.split(" ");
      const response = await fetch(url + path, {
        method,
        headers: { ...(method !== "GET" && { "content-type": "application/json" }), ...headers },
        ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
      });
      const text = await response.text();
      const json = text === "" ? {} : (JSON.parse(text) as Json);
      return { status: response.status, headers: response.headers, text, json };
    },
    logIn: async (name = "ada") => {
      const response = await fetch(`${url}/api/session`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ name, passphrase }),
      });
      return sessionHeaders(response);
    },
    join: async (name, scopes) => void (await people.add({ name, passphrase, scopes })),
    async [Symbol.asyncDispose]() {
      await accessTokens[Symbol.asyncDispose]();
      await kit.close();
      await listening.close();
      await Promise.all(served.map((each) => each.close()));
      await governance[Symbol.asyncDispose]();
      await approvals.close();
      await audit.close();
      await store.close();
      rmSync(root, { recursive: true });
    },
  };
}

function configOf(text: string) {
  const environment = { REFERRED: referred };
  return resolveConfig({ file: { name: "biplane.yaml", text }, environment, folder: "/somewhere" });
}

export type Json = Record<string, unknown>;

export interface GatewayOptions {
  readonly provider?: OidcSignIn;
  readonly scripts?: Readonly<Record<string, string | Uint8Array>>;
  /** Scripts that are tools of their own. */
  readonly tools?: readonly string[];
  readonly config?: string;
  readonly store?: SqlStore;
  /** Agents need a token. */
  readonly isGuarded?: boolean;
}

export interface Gateway extends AsyncDisposable {
  readonly url: string;
  readonly root: string;
  readonly routes: ApiRoutes;
  readonly gateway: Server;
  readonly lake: Environment;
  readonly people: People;
  readonly secrets: Secrets;
  readonly approvals: Approvals;
  readonly governance: GovernanceParts;
  readonly audit: Audit;
  readonly store: SqlStore;
  readonly faults: readonly unknown[];
  readonly agentToken: string;
  write(name: string, source: string | Uint8Array): void;
  ask(
    line: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<{ status: number; headers: Headers; text: string; json: Json }>;
  /** The header with a person's cookie. */
  logIn(name?: string): Promise<SessionHeaders>;
  join(name: string, scopes: readonly string[]): Promise<void>;
}
