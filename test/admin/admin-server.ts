import { serverOf } from "@biplane/core/internal";
import { request } from "node:http";
import type { IncomingMessage } from "node:http";
import { randomBytes } from "node:crypto";
import { app, ask, environment, resource, server, tool } from "biplane";
import type { Server, ServerOptions } from "biplane";
import { openStore } from "biplane/store";
import type { SqlStore } from "biplane/store";
import { openApprovals } from "../../packages/biplane/src/governance/approvals/approvals.ts";
import { adminApiHandler } from "../../packages/biplane/src/admin/http/api-handler.ts";
import { openAudit } from "../../packages/biplane/src/governance/audit/audit.ts";
import type { OidcSignIn } from "../../packages/biplane/src/governance/people/oidc.ts";
import { openPeople } from "../../packages/biplane/src/governance/people/people.ts";
import type { NewPerson, People, PeopleOptions } from "../../packages/biplane/src/governance/people/people.ts";
import { openSecrets } from "../../packages/biplane/src/governance/secrets/secrets.ts";
import { LiveCall } from "../../packages/core/src/call/live-call.ts";
import { openAdminApi } from "../../packages/biplane/src/admin/admin-api.ts";
import type { AdminApi, AdminApiOptions } from "../../packages/biplane/src/admin/admin-api.ts";
import type { Environment } from "../../packages/core/src/environment/environment.ts";
import type { ServeOptions } from "../../packages/core/src/server/listening.ts";
import { serve } from "../../packages/core/src/wire/serve.ts";
import { sessionHeaders } from "../support/session.ts";
import type { SessionHeaders } from "../support/session.ts";

export const passphrase = "correct horse battery staple";
export const secret = "tr0ub4dor-and-3-s3cret";

export type Json = Record<string, unknown>;

/** A shop and a game behind one port, with the people's API, everything real. */
export async function openServedGateway(options: GatewayOptions = {}): Promise<ServedGateway> {
  const store = await openStore(":memory:");
  const faults: unknown[] = [];
  const onFault = (fault: unknown) => void faults.push(fault);
  const audit = openAudit({ store, maxDelayMs: 0, onFault });
  const approvals = openApprovals({ store, audit });
  const secrets = await openSecrets({ store, key: randomBytes(32), environment: {} });
  await secrets.set("TOKEN", secret);
  const people = openPeople({ store, audit, cost: { N: 1024, r: 8, p: 1 }, ...options.people });
  const shop = makeShop(options.server);
  const game = makeGame();
  const served = [shop, game];
  let url = "";
  const kit = openAdminApi({
    name: "gateway",
    version: "1",
    served,
    url: () => url,
    approvals,
    audit,
    statisticsStore: store,
    auditLog: store,
    stores: [store],
    ...(options.storesCalls && { callStore: store }),
    ...options.kit,
  });
  for (const each of served)
    each.govern({ store, audit, approver: approvals, secrets, onFault, limits: false, meters: [kit.meterOf(each)] });
  const listening = await serve(served, {
    url: "http://127.0.0.1:0",
    graceMs: 100,
    people: adminApiHandler({
      name: "gateway",
      people,
      provider: options.provider,
      secrets,
      approvals,
      log: store,
      audit,
      routes: await kit.routes(people),
    }),
    ...options.serve,
  });
  url = listening.url;
  await people.add({ name: "ada", passphrase });
  return {
    url,
    shop,
    game,
    kit,
    people,
    store,
    faults,
    closeEndpoints: () => listening.close(),
    ask: async (line, body, headers = {}) => {
      const [method = "", path = ""] = line.split(" ");
      const response = await fetch(url + path, {
        method,
        headers: { ...(method !== "GET" && { "content-type": "application/json" }), ...headers },
        ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
      });
      const text = await response.text();
      return { status: response.status, text, json: text === "" ? {} : (JSON.parse(text) as Json) };
    },
    logIn: async (name = "ada") => {
      const response = await fetch(`${url}/api/session`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ name, passphrase }),
      });
      return sessionHeaders(response);
    },
    join: async (name, scopes) => void (await people.add({ name, passphrase, scopes } satisfies NewPerson)),
    listen: (path, headers) => listenTo(url + path, headers),
    async [Symbol.asyncDispose]() {
      await kit.close();
      await listening.close();
      await Promise.all(served.map((each) => each.close()));
      await approvals.close();
      await audit.close();
      await store.close();
    },
  };
}

export interface GatewayOptions {
  readonly people?: Partial<PeopleOptions>;
  readonly provider?: OidcSignIn;
  readonly kit?: Partial<AdminApiOptions>;
  readonly server?: Partial<ServerOptions>;
  readonly serve?: ServeOptions;
  /** Calls are stored, as in `biplane serve` with a store. */
  readonly storesCalls?: boolean;
}

export interface ServedGateway extends AsyncDisposable {
  readonly url: string;
  readonly shop: Server;
  readonly game: Environment;
  readonly kit: AdminApi;
  readonly people: People;
  readonly store: SqlStore;
  readonly faults: readonly unknown[];
  closeEndpoints(): Promise<void>;
  ask(
    line: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<{ status: number; text: string; json: Json }>;
  logIn(name?: string): Promise<SessionHeaders>;
  join(name: string, scopes: readonly string[]): Promise<void>;
  listen(path: string, headers: Record<string, string>): Promise<EventReader>;
}

/** Somebody who reads server-sent events. */
export interface EventReader {
  readonly status: number;
  readonly events: readonly { readonly event: string; readonly data: Json }[];
  /** The next event of that topic, from now or since the last one that was taken. */
  next(event: string): Promise<Json>;
  /** Resolves when the other side has ended the stream. */
  readonly ended: Promise<void>;
  /** Stops taking bytes from the socket. */
  pause(): void;
  close(): void;
}

function listenTo(address: string, headers: Record<string, string>): Promise<EventReader> {
  return new Promise((resolve, reject) => {
    const sent = request(address, { headers }, (response) => resolve(reader(response, () => sent.destroy())));
    sent.once("error", reject);
    sent.end();
  });
}

function reader(response: IncomingMessage, close: () => void): EventReader {
  const events: { event: string; data: Json }[] = [];
  const taken = new Map<string, number>();
  let wake: () => void = () => undefined;
  let rest = "";
  response.setEncoding("utf8");
  response.on("data", (chunk: string) => {
    const parts = (rest + chunk).split("\n\n");
    rest = parts.pop() ?? "";
    for (const part of parts) {
      const [, event, data] = /^event: (.*)\ndata: (.*)$/.exec(part) ?? [];
      if (event !== undefined && data !== undefined) events.push({ event, data: JSON.parse(data) as Json });
    }
    wake();
  });
  const ended = new Promise<void>((resolve) => response.once("close", resolve));
  response.on("error", () => undefined); // either side may disconnect first
  const next = async (event: string): Promise<Json> => {
    for (;;) {
      const from = taken.get(event) ?? 0;
      const at = events.findIndex((each, place) => place >= from && each.event === event);
      if (at >= 0) {
        taken.set(event, at + 1);
        return (events[at] as { data: Json }).data;
      }
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  return { status: response.statusCode ?? 0, events, next, ended, pause: () => void response.pause(), close };
}

/** Calls a tool of the shop from this process, as an agent of that name would over MCP. */
export function callAs(agentId: string, gateway: Server, order: { tool: string; input?: unknown; session?: string }) {
  return serverOf(gateway).perform(
    new LiveCall({
      tool: order.tool,
      input: order.input ?? {},
      route: "mcp",
      agent: { agentId, model: "a-model", requestId: crypto.randomUUID(), metadata: {} },
      principal: { kind: "token", id: `token of ${agentId}`, scopes: [] },
      session: order.session,
    }),
  );
}

const text = { type: "object", properties: { text: { type: "string" } } } as const;

function makeShop(options: Partial<ServerOptions> = {}): Server {
  let sold = 0;
  const page = app({ name: "till", html: "<!doctype html><title>Till</title>" });
  return server({
    name: "shop",
    version: "2",
    title: "A shop",
    description: "Sells things",
    tools: [
      tool({ name: "echo", description: "Says it again", input: text, idempotent: true, run: (input) => input }),
      tool({
        name: "shout",
        description: "Says it loudly",
        input: text,
        annotations: { readOnlyHint: true },
        run: ({ text: said }) => String(said).toUpperCase(),
      }),
      tool({ name: "sell", description: "Sells one", ui: page, run: () => ({ sold: ++sold }) }),
      tool({ name: "ring", description: "Rings the till", ui: { visibility: ["model"] }, run: () => "rang" }),
      tool({ name: "leak", description: "Tells", idempotent: true, run: () => ({ said: `the token is ${secret}` }) }),
      tool({
        name: "fail",
        input: text,
        run: ({ text: said }) => {
          throw new Error(`no: ${String(said)}`);
        },
      }),
      tool({ name: "big", idempotent: true, run: () => "x".repeat(1_000_000) }),
      tool({ name: "ask.first", description: "Needs a yes", idempotent: true, run: () => "done" }),
    ],
    resources: [
      resource({ name: "sign", uri: "shop://sign", mimeType: "text/plain", read: () => `open; ${secret}` }),
      resource({ name: "locked", uri: "shop://locked", read: () => "inside" }),
    ],
    policies: [
      (_, name, input) => {
        if (name === "ask.first") return ask("Shall it?");
        const { uri } = (input ?? {}) as { uri?: string };
        if (uri === "shop://locked") return { verdict: "deny", reason: `not ${secret}` };
        return { verdict: "allow" };
      },
    ],
    ...options,
  });
}

function makeGame(): Environment {
  return environment({
    name: "game",
    version: "1",
    description: "Count to three",
    start: () => ({ count: 0 }),
    observe: ({ count }) => ({ count }),
    action: "add",
    tools: (define) => ({
      add: define({
        description: "Adds",
        input: { type: "object", properties: { by: { type: "integer", minimum: 1 } }, required: ["by"] },
        run: (input, call) => {
          call.state.count += input["by"];
        },
      }),
      look: define({
        description: "Looks",
        annotations: { readOnlyHint: true },
        run: (_, call) => ({ count: call.state.count }),
      }),
    }),
    reward: ({ after }) => after.count,
    status: ({ count }) => ({ terminated: count >= 3 }),
  });
}
