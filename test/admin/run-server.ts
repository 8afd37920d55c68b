import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Policy } from "biplane";
import { openStore } from "biplane/store";
import { adminApiHandler } from "../../packages/biplane/src/admin/http/api-handler.ts";
import { openApprovals } from "../../packages/biplane/src/governance/approvals/approvals.ts";
import { openAudit } from "../../packages/biplane/src/governance/audit/audit.ts";
import { openPeople } from "../../packages/biplane/src/governance/people/people.ts";
import type { Mode } from "../../packages/core/src/call/policy.ts";
import { openAdminApi } from "../../packages/biplane/src/admin/admin-api.ts";
import type { AdminApi } from "../../packages/biplane/src/admin/admin-api.ts";
import type { Environment } from "../../packages/core/src/environment/environment.ts";
import type { SqlStore } from "biplane/store";
import { serve } from "../../packages/core/src/wire/serve.ts";
import { sessionHeaders } from "../support/session.ts";
import type { SessionHeaders } from "../support/session.ts";

const passphrase = "correct horse battery staple";

/** Environments behind one port, runs in a real file, and somebody who is logged in. */
export async function openRunGateway(
  served: readonly Environment[],
  options: RunGatewayOptions = {},
): Promise<RunGateway> {
  const folder = await mkdtemp(join(tmpdir(), "biplane-runs-"));
  const file = join(folder, "runs.db");
  const runs = await openStore(file);
  const store = await openStore(":memory:");
  const faults: unknown[] = [];
  const onFault = (fault: unknown) => void faults.push(fault);
  const audit = openAudit({ store, maxDelayMs: 0, onFault });
  const approvals = openApprovals({ store, audit });
  const people = openPeople({ store, audit, cost: { N: 1024, r: 8, p: 1 } });
  let url = "";
  const kit = openAdminApi({ name: "gateway", version: "1", served, url: () => url, approvals, audit, stores: [runs] });
  const { mode = "simulation", policies = [], secrets } = options;
  for (const each of served)
    each.govern({
      store,
      audit,
      approver: approvals,
      mode,
      policies,
      onFault,
      meters: [kit.meterOf(each)],
      ...(secrets && { secrets }),
    });
  const listening = await serve([...served], {
    url: "http://127.0.0.1:0",
    graceMs: 100,
    people: adminApiHandler({ people, approvals, log: store, audit, routes: await kit.routes(people) }),
  });
  url = listening.url;
  const cookies = new Map<string, SessionHeaders>();
  const logIn = async (name: string, scopes: readonly string[]) => {
    await people.add({ name, passphrase, scopes });
    const body = JSON.stringify({ name, passphrase });
    const headers = { "content-type": "application/json" };
    const response = await fetch(`${url}/api/session`, { method: "POST", headers, body });
    cookies.set(name, await sessionHeaders(response));
  };
  await logIn("ada", ["*"]);
  return {
    url,
    file,
    runs,
    kit,
    faults,
    logIn,
    cookie: (name = "ada") => cookies.get(name) ?? { cookie: "", "x-biplane": "" },
    ask: (async (line: string, body?: unknown, name = "ada") => {
      const [method = "", path = ""] = line.split(" ");
      const response = await fetch(url + path, {
        method,
        headers: { ...cookies.get(name), ...(method !== "GET" && { "content-type": "application/json" }) },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      return { status: response.status, text, json: (text === "" ? {} : JSON.parse(text)) as unknown };
    }) as RunGateway["ask"],
    hear: (topic, name = "ada") => hearOf(`${url}/api/events?topics=${topic}`, cookies.get(name) ?? {}),
    async [Symbol.asyncDispose]() {
      await kit.close();
      await listening.close();
      await Promise.all(served.map((each) => each.close()));
      await approvals.close();
      await audit.close();
      await store.close();
      await runs.close();
      await rm(folder, { recursive: true });
    },
  };
}

export interface RunGatewayOptions {
  readonly mode?: Mode;
  readonly policies?: readonly Policy[];
  readonly secrets?: Readonly<Record<string, string>>;
}

/** An answer that says what is wrong. */
export interface Problem {
  readonly error: string;
  readonly message: string;
}

export interface RunGateway extends AsyncDisposable {
  readonly url: string;
  readonly file: string;
  /** Where the runs are: a file that others may open too. */
  readonly runs: SqlStore;
  readonly kit: AdminApi;
  readonly faults: readonly unknown[];
  logIn(name: string, scopes: readonly string[]): Promise<void>;
  cookie(name?: string): SessionHeaders;
  /** Yields the changed episodes or runs of each event. The first value only says that it listens. */
  hear(topic: "episodes" | "runs", name?: string): AsyncGenerator<readonly string[]>;
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller knows what a route answers with.
  ask<Answer>(line: string, body?: unknown, name?: string): Promise<{ status: number; text: string; json: Answer }>;
}

/** What changed, event by event. */
async function* hearOf(address: string, headers: Record<string, string>): AsyncGenerator<readonly string[]> {
  const stop = new AbortController();
  const response = await fetch(address, { headers, signal: stop.signal });
  yield []; // the caller now knows that it listens
  let rest = "";
  try {
    for await (const chunk of response.body as ReadableStream<Uint8Array>) {
      const parts = (rest + Buffer.from(chunk).toString()).split("\n\n");
      rest = parts.pop() ?? "";
      for (const part of parts) {
        const [, data] = /^event: .*\ndata: (.*)$/.exec(part) ?? [];
        if (data !== undefined) yield (JSON.parse(data) as { changed: string[] }).changed;
      }
    }
  } finally {
    stop.abort();
  }
}
