import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Browser, Page } from "playwright-core";
import { openStore } from "biplane/store";
import { openApprovals } from "../../packages/biplane/src/governance/approvals/approvals.ts";
import type { Approvals } from "../../packages/biplane/src/governance/approvals/approvals.ts";
import { adminApiHandler } from "../../packages/biplane/src/admin/http/api-handler.ts";
import { openAudit } from "../../packages/biplane/src/governance/audit/audit.ts";
import type { OidcSignIn } from "../../packages/biplane/src/governance/people/oidc.ts";
import { DeliveryQueue } from "../../packages/biplane/src/governance/notifications/delivery-queue.ts";
import { openPeople } from "../../packages/biplane/src/governance/people/people.ts";
import type { People } from "../../packages/biplane/src/governance/people/people.ts";
import { openSecrets } from "../../packages/biplane/src/governance/secrets/secrets.ts";
import type { Secrets } from "../../packages/biplane/src/governance/secrets/secrets.ts";
import { openAdminApi } from "../../packages/biplane/src/admin/admin-api.ts";
import type { AdminApi, AdminApiOptions } from "../../packages/biplane/src/admin/admin-api.ts";
import { pageEndpoint } from "../../packages/biplane/src/admin/page-endpoint.ts";
import type { Served } from "biplane";
import type { Listening, ServeOptions } from "../../packages/core/src/server/listening.ts";
import type { Governance } from "../../packages/core/src/server/options.ts";
import type { SqlStore } from "biplane/store";
import type { ResolvedConfig } from "../../packages/biplane/src/config/resolve-config.ts";
import { serve } from "../../packages/core/src/wire/serve.ts";
import { openGovernanceParts } from "./governance-parts.ts";
import type { GovernanceParts } from "./governance-parts.ts";
import { madeOnce } from "./made-once.ts";

export { accessibilityProblems, problemsEverywhere } from "./accessibility.ts";

export const passphrase = "correct horse battery staple";

/** A real server with the built page, the people's API and, unless told otherwise, ada, who may do everything. */
export async function openPageGateway(options: PageGatewayOptions): Promise<PageGateway> {
  const folder = await builtPage();
  const store = await openStore(":memory:");
  const faults: unknown[] = [];
  const onFault = (fault: unknown) => void faults.push(fault);
  const audit = openAudit({ store, maxDelayMs: 0, onFault });
  const queue = new DeliveryQueue(store, ["phone"]);
  const approvals = openApprovals({ store, audit, outbox: queue });
  const governance = openGovernanceParts({ store, queue, approvals, audit, onFault, config: options.rules });
  const secrets = await openSecrets({ store, key: randomBytes(32), environment: {} });
  const people = openPeople({ store, audit, cost: { N: 1024, r: 8, p: 1 } });
  if (!options.isFresh) await people.add({ name: "ada", passphrase });
  let url = "";
  let listening: Listening | undefined;
  const { served } = options;
  const parts = { store, secrets, approvals, people, governance };
  const kit = openAdminApi({
    name: served[0]?.name ?? "gateway",
    version: "1.0.0",
    served,
    url: () => url,
    approvals,
    audit,
    stores: [store],
    callStore: options.storesCalls ? store : undefined,
    statisticsStore: store,
    auditLog: store,
    connections: () => listening?.connections,
    onFault,
    policies: governance.policies,
    ...options.kit?.(parts),
  });
  kit.log.onCall((call) => governance.policies.hits.count(call));
  const rules = { store, audit, approver: approvals, secrets, onFault, limits: false as const };
  for (const each of served) each.govern({ ...rules, ...options.governance, meters: [kit.meterOf(each)] });
  await governance.start(served);
  listening = await serve(served, {
    url: "http://127.0.0.1:0",
    graceMs: 100,
    people: adminApiHandler({
      name: "support-team",
      people,
      provider: options.provider,
      secrets,
      approvals,
      notifications: governance.notifications,
      log: store,
      audit,
      routes: await kit.routes(people),
    }),
    page: pageEndpoint({ folder, frames: options.frames }),
    ...options.serve,
  });
  url = listening.url;
  return {
    url,
    kit,
    faults,
    ...parts,
    async [Symbol.asyncDispose]() {
      await kit.close();
      await listening?.close();
      await Promise.all(served.map((each) => each.close()));
      await governance[Symbol.asyncDispose]();
      await approvals.close();
      await audit.close();
      await store.close();
    },
  };
}

interface Parts {
  readonly store: SqlStore;
  readonly secrets: Secrets;
  readonly approvals: Approvals;
  readonly people: People;
  /** Links in messages, and policy rules. */
  readonly governance: GovernanceParts;
}

export interface PageGatewayOptions {
  readonly served: readonly Served[];
  /** What the kit needs besides: scripts, settings, runs … */
  readonly kit?: (parts: Parts) => Partial<AdminApiOptions>;
  readonly governance?: Governance;
  readonly provider?: OidcSignIn;
  /** Calls are stored, as in `biplane serve` with a store. */
  readonly storesCalls?: boolean;
  /** A config whose policy rules apply. */
  readonly rules?: ResolvedConfig;
  readonly serve?: ServeOptions;
  /** Where apps run: what the page may frame. */
  readonly frames?: string;
  /** Nobody can log in yet. */
  readonly isFresh?: boolean;
}

export interface PageGateway extends Parts, AsyncDisposable {
  readonly url: string;
  readonly kit: AdminApi;
  readonly faults: readonly unknown[];
}

export interface LookOptions {
  /** `#/tools`; left out, the overview. */
  readonly hash?: string;
  readonly width?: number;
  readonly height?: number;
  readonly theme?: "light" | "dark";
  /** Who looks; null is somebody who has not logged in. */
  readonly as?: string | null;
}

/** What a page of the gateway looks like in a browser that knows nobody else; close its context when done. */
export async function lookAt(
  browser: Browser,
  gateway: { readonly url: string },
  options: LookOptions = {},
): Promise<Look> {
  const { hash = "", width = 1280, height = 800, theme = "light", as = "ada" } = options;
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: theme,
    reducedMotion: "reduce",
  });
  let key = "";
  if (as !== null) {
    const response = await context.request.post(`${gateway.url}/api/session`, { data: { name: as, passphrase } });
    if (!response.ok()) throw new Error(`${as} cannot log in: ${response.status()} ${await response.text()}`);
    // Where our page keeps it; frames of apps run this too, and have no storage.
    key = ((await response.json()) as { key: string }).key;
    const own = { key, origin: new URL(gateway.url).origin };
    await context.addInitScript(({ key, origin }) => {
      if (location.origin === origin) localStorage["biplane-key"] ??= key;
    }, own);
  }
  const page = await context.newPage();
  const problems: string[] = [];
  // What a policy forbids, what fails to load and what throws: a view has none of it.
  page.on("console", (message) => {
    const isExpected = /status of (4\d\d|503)/.test(message.text());
    if (message.type() === "error" && !isExpected) problems.push(message.text());
  });
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("request", (request) => {
    const address = request.url();
    if (!address.startsWith(gateway.url) && !/^(data|blob):/.test(address)) problems.push(`asked for ${address}`);
  });
  await page.goto(`${gateway.url}/${hash}`);
  return { page, problems, headers: { "x-biplane": key }, [Symbol.asyncDispose]: () => context.close() };
}

export interface Look extends AsyncDisposable {
  readonly page: Page;
  /** Errors, breaches of the content policy, and requests to elsewhere. */
  readonly problems: readonly string[];
  /** What a request of the page's own has beside its cookie. */
  readonly headers: { readonly "x-biplane": string };
}

const root = fileURLToPath(new URL("../../", import.meta.url));

/** The folder with the page as its source is now. */
function builtPage(): Promise<string> {
  const vite = join(root, "node_modules", "vite", "bin", "vite.js");
  const words = ["build", "--config", "page/vite.config.ts", "--emptyOutDir", "--logLevel", "warn"];
  const env = { ...process.env, NODE_ENV: "production" };
  return madeOnce("page", {
    sources: ["page"],
    make: (folder) => promisify(execFile)(process.execPath, [vite, ...words, "--outDir", folder], { cwd: root, env }),
  });
}
