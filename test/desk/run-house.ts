import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Policy } from "biplane";
import { sqliteStore } from "biplane/sqlite";
import { peopleApi } from "../../src/admin/api/people-api.ts";
import { openApprovals } from "../../src/admin/approvals/approvals.ts";
import { openAudit } from "../../src/admin/audit/audit.ts";
import { openPeople } from "../../src/admin/people/people.ts";
import type { Mode } from "../../src/call/policy.ts";
import { openDesk } from "../../src/desk/desk.ts";
import type { Desk } from "../../src/desk/desk.ts";
import type { Environment } from "../../src/environment/environment.ts";
import type { Store } from "../../src/store/store.ts";
import { serve } from "../../src/wire/serve.ts";
import { sessionHeaders } from "../support/session.ts";
import type { SessionHeaders } from "../support/session.ts";

const passphrase = "correct horse battery staple";

/** Environments behind one port, runs in a real file, and somebody who is logged in. */
export async function openRunHouse(served: readonly Environment[], options: RunHouseOptions = {}): Promise<RunHouse> {
  const folder = await mkdtemp(join(tmpdir(), "biplane-runs-"));
  const file = join(folder, "runs.db");
  const runs = countingStore(sqliteStore(file));
  const store = sqliteStore(":memory:");
  const faults: unknown[] = [];
  const onFault = (fault: unknown) => void faults.push(fault);
  const audit = openAudit({ store, maxDelayMs: 0, onFault });
  const approvals = openApprovals({ store, audit });
  const people = openPeople({ store, audit, cost: { N: 1024, r: 8, p: 1 } });
  let url = "";
  const desk = openDesk({ name: "house", version: "1", served, url: () => url, approvals, audit, stores: [runs] });
  const { mode = "simulation", policies = [], secrets } = options;
  for (const each of served)
    each.govern({
      store,
      audit,
      approver: approvals,
      mode,
      policies,
      onFault,
      meters: [desk.meterOf(each)],
      ...(secrets && { secrets }),
    });
  const listening = await serve([...served], {
    url: "http://127.0.0.1:0",
    graceMs: 100,
    people: peopleApi({ people, approvals, log: store, audit, routes: await desk.routes(people) }),
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
    desk,
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
    }) as RunHouse["ask"],
    hear: (topic, name = "ada") => hearOf(`${url}/api/events?topics=${topic}`, cookies.get(name) ?? {}),
    async [Symbol.asyncDispose]() {
      await desk.close();
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

export interface RunHouseOptions {
  readonly mode?: Mode;
  readonly policies?: readonly Policy[];
  readonly secrets?: Readonly<Record<string, string>>;
}

/** An answer that says what is wrong. */
export interface Problem {
  readonly error: string;
  readonly message: string;
}

export interface RunHouse extends AsyncDisposable {
  readonly url: string;
  readonly file: string;
  /** Where the runs are: a file that others may open too. */
  readonly runs: CountingStore;
  readonly desk: Desk;
  readonly faults: readonly unknown[];
  logIn(name: string, scopes: readonly string[]): Promise<void>;
  cookie(name?: string): SessionHeaders;
  /** Says which episodes or runs have changed, as it is told; the first says only that it listens. */
  hear(topic: "episodes" | "runs", name?: string): AsyncGenerator<readonly string[]>;
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller knows what a route answers with.
  ask<Answer>(line: string, body?: unknown, name?: string): Promise<{ status: number; text: string; json: Answer }>;
}

/** What changed, event by event. */
async function* hearOf(address: string, headers: Record<string, string>): AsyncGenerator<readonly string[]> {
  const stop = new AbortController();
  const response = await fetch(address, { headers, signal: stop.signal });
  yield []; // whoever has this is listening
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

/** A store that counts the lines and records that are read from it. */
export function countingStore(store: Store): CountingStore {
  const counted = {
    ...store,
    rows: 0,
    read: async (...what: Parameters<Store["read"]>) => {
      const lines = await store.read(...what);
      counted.rows += lines.length;
      return lines;
    },
    last: async (log: string) => {
      counted.rows++;
      return store.last(log);
    },
    list: async (...what: Parameters<Store["list"]>) => {
      const records = await store.list(...what);
      counted.rows += records.length;
      return records;
    },
    get: async (...what: Parameters<Store["get"]>) => {
      counted.rows++;
      return store.get(...what);
    },
  };
  return counted;
}

export type CountingStore = Store & { rows: number };
