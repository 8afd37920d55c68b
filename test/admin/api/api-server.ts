import { randomBytes } from "node:crypto";
import { server } from "biplane";
import type { ServeOptions, Server, ServerOptions } from "biplane";
import { openStore } from "biplane/store";
import { openApprovals } from "../../../packages/biplane/src/governance/approvals/approvals.ts";
import type { Approvals } from "../../../packages/biplane/src/governance/approvals/approvals.ts";
import { adminApiHandler } from "../../../packages/biplane/src/admin/http/api-handler.ts";
import { openAudit } from "../../../packages/biplane/src/governance/audit/audit.ts";
import type { Audit } from "../../../packages/biplane/src/governance/audit/audit.ts";
import { openPeople } from "../../../packages/biplane/src/governance/people/people.ts";
import type { People, PeopleOptions } from "../../../packages/biplane/src/governance/people/people.ts";
import { openSecrets } from "../../../packages/biplane/src/governance/secrets/secrets.ts";
import type { Secrets } from "../../../packages/biplane/src/governance/secrets/secrets.ts";
import { sessionHeaders } from "../../support/session.ts";
import type { SessionHeaders } from "../../support/session.ts";

export const passphrase = "correct horse battery staple";

/** Guesses that cost little, for tests that make many. */
export const cheap = { N: 1024, r: 8, p: 1 };

/** A server with people's endpoints on a free port, everything real. */
export async function openGateway(
  options: { people?: Partial<PeopleOptions>; serve?: ServeOptions; server?: Partial<ServerOptions> } = {},
): Promise<Gateway> {
  const store = await openStore(":memory:");
  const faults: unknown[] = [];
  const audit = openAudit({ store, maxDelayMs: 0, onFault: (fault) => faults.push(fault) });
  const people = openPeople({ store, audit, cost: cheap, ...options.people });
  const secrets = await openSecrets({ store, key: randomBytes(32), environment: {} });
  const approvals = openApprovals({ store, audit });
  const subject = server({
    name: "gateway",
    version: "1",
    store,
    audit,
    secrets,
    approver: approvals,
    onFault: (fault) => faults.push(fault),
    ...options.server,
  });
  const { url } = await subject.serve({
    url: "http://127.0.0.1:0",
    graceMs: 100,
    people: adminApiHandler({ people, secrets, approvals, log: store, audit }),
    ...options.serve,
  });
  return {
    url,
    port: Number(new URL(url).port),
    subject,
    people,
    secrets,
    approvals,
    audit,
    faults,
    ask: async (line, body, headers = {}) => {
      const [method = "", path = ""] = line.split(" ");
      const response = await fetch(url + path, {
        method,
        headers: { ...(method !== "GET" && { "content-type": "application/json" }), ...headers },
        ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
      });
      const text = await response.text();
      return {
        status: response.status,
        headers: response.headers,
        text,
        json: text === "" ? {} : (JSON.parse(text) as Json),
      };
    },
    logIn: async (name = "ada") => {
      const response = await fetch(`${url}/api/session`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ name, passphrase }),
      });
      return sessionHeaders(response);
    },
    async [Symbol.asyncDispose]() {
      await subject.close();
      await approvals.close();
      await audit.close();
      await store.close();
    },
  };
}

export type Json = Record<string, unknown>;

export interface Gateway extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly subject: Server;
  readonly people: People;
  readonly secrets: Secrets;
  readonly approvals: Approvals;
  readonly audit: Audit;
  readonly faults: unknown[];
  /** `ask("PUT /api/secrets/X", { value })`, as a program would. */
  ask(
    line: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<{ status: number; headers: Headers; text: string; json: Json }>;
  /** The header with a person's cookie. */
  logIn(name?: string): Promise<SessionHeaders>;
}
