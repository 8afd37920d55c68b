import type { HttpMessage } from "../../transport/http-message.ts";
import type { Outcome } from "../../call/outcome.ts";
import type { Environment } from "../../environment/environment.ts";
import { BiplaneError } from "../../errors.ts";
import { DetailError, answerDetail, readFields, refuseOtherFields, sendDetail } from "../detail-error.ts";
import type { RoutedRequest } from "../routed-request.ts";
import { callInSession } from "../session-call.ts";
import { meanReward } from "./metrics.ts";
import { readRollout, readSeed, readSessionId } from "./seed.ts";
import { sessionInCookie, setSessionCookie } from "./session-cookie.ts";
import { NemoSessions } from "./sessions.ts";
import type { NemoSeeded } from "./sessions.ts";

/** Routes of a resources server, with their methods. A tool cannot be called by one of these names. */
export const nemoRoutes = {
  seed_session: "POST",
  verify: "POST",
  close_session: "POST",
  aggregate_metrics: "POST",
  reverify_mode: "GET",
} as const;

type NemoRoute = keyof typeof nemoRoutes;

export interface NemoGymOptions {
  readonly maxBodyBytes: number;
  readonly maxSessions: number;
}

/** A resources server of NeMo Gym: sessions, tools as routes, and the verdict on a rollout from the control plane. */
export class NemoGymEndpoint {
  readonly #environment: Environment;
  readonly #sessions: NemoSessions;
  readonly #maxBodyBytes: number;

  constructor(environment: Environment, { maxBodyBytes, maxSessions }: NemoGymOptions) {
    this.#environment = environment;
    this.#sessions = new NemoSessions(environment, maxSessions);
    this.#maxBodyBytes = Math.max(maxBodyBytes, nemoBodyBytes);
  }

  readonly #redactor = () => this.#environment.redactor;

  /**
   * Returns false if the path is not one of a resources server: `/nemo-gym/…`, or the same without the prefix. There,
   * a path with another protocol's name is a tool only for a client that shows the cookie of a session.
   */
  handle(routed: RoutedRequest): boolean {
    const { request, response, path } = routed;
    const isPrefixed = path.startsWith(`${prefix}/`);
    const name = path.slice(isPrefixed ? prefix.length + 1 : 1);
    if (Object.hasOwn(nemoRoutes, name)) {
      void answerDetail({ response, redactor: this.#redactor }, () => this.#answer(routed, name as NemoRoute));
      return true;
    }
    const isTool =
      isPrefixed || (sessionInCookie(request) !== undefined && request.headers["x-session-id"] === undefined);
    if (!isTool || request.method !== "POST" || !/^[\w-]+$/.test(name)) return false;
    void this.#call(routed, name);
    return true;
  }

  stop(): void {
    this.#sessions.stop();
  }

  async #answer(routed: RoutedRequest, route: NemoRoute): Promise<unknown> {
    const { request } = routed;
    const method = nemoRoutes[route];
    if (request.method !== method) throw new DetailError(405, "Method Not Allowed", { allow: method });
    // An episode that is over cannot be verified again from its record alone.
    if (route === "reverify_mode") return "unsupported";
    const fields = await readFields(request, this.#maxBodyBytes);
    switch (route) {
      case "seed_session":
        return this.#seed(routed, fields);
      case "verify":
        return this.#verify(routed, fields);
      case "close_session":
        return this.#close(routed, fields);
      case "aggregate_metrics":
        return meanReward(fields["verify_responses"]);
    }
  }

  async #seed({ response, principal }: RoutedRequest, fields: Record<string, unknown>): Promise<object> {
    const seed = readSeed(fields);
    const { session, episode } = await this.#sessions.seed(seed, principal).catch((error: unknown) => {
      throw error instanceof BiplaneError && error.code === "CAPACITY" ? new DetailError(429, error.message) : error;
    });
    const { id } = session.info;
    response.setHeader("set-cookie", setSessionCookie(id));
    const { name } = this.#environment;
    const mcp = { server_name: name, url_path: `/e/${episode.id}/mcp`, transport: "http", headers: {} };
    return seed.id === undefined ? { mcp } : { resources_session_id: id, resources_tools: mcp, sandbox_access: null };
  }

  /** Repeats the request, as NeMo Gym expects, with the verdict of the control plane. */
  async #verify({ request, principal }: RoutedRequest, fields: Record<string, unknown>): Promise<object> {
    const { resources_session_id: named } = fields;
    const id = typeof named === "string" ? named : sessionInCookie(request);
    const verdict = await this.#sessions.verify(id, principal);
    const own = Object.entries(fields).filter(([key]) => !key.startsWith("_ng_"));
    return { ...Object.fromEntries(own), ...verdict };
  }

  async #close({ principal }: RoutedRequest, fields: Record<string, unknown>): Promise<object> {
    refuseOtherFields(fields, ["resources_session_id", "episode_id"]);
    const id = readSessionId(fields);
    await this.#sessions.close(id, readRollout(fields["episode_id"]), principal);
    return { resources_session_id: id };
  }

  /** The model reads the body as it is, errors too. Only a lost session has another status. */
  async #call({ request, response, principal }: RoutedRequest, tool: string): Promise<void> {
    try {
      const input = await readFields(request, this.#maxBodyBytes);
      const { session, episode } = await this.#find(request, principal);
      const { outcome } = await callInSession(session, episode, { tool, input, principal, agentId: "nemo-gym" });
      const { type, body } = bodyOf(outcome, tool);
      response.writeHead(200, { "content-type": type, "content-length": Buffer.byteLength(body) }).end(body);
    } catch (error) {
      sendDetail(response, error, this.#redactor());
    }
  }

  async #find(request: HttpMessage, principal: RoutedRequest["principal"]): Promise<NemoSeeded> {
    const id = sessionInCookie(request);
    if (id === undefined) throw new DetailError(400, "There is no session. Call /seed_session and send its cookie.");
    const found = await this.#sessions.find(id, principal);
    if (found) return found;
    throw new DetailError(410, "The session is gone: it was closed, idle for too long, or lost.");
  }
}

/** A body holds a whole conversation, and metrics are of many. */
export const nemoBodyBytes = 16 * 2 ** 20;

const prefix = "/nemo-gym";

function bodyOf(outcome: Outcome, tool: string): { type: string; body: string } {
  if (outcome.status !== "done") {
    const error =
      outcome.status === "failed" ? outcome.error.message : `${tool} asks questions, which nobody can answer.`;
    return { type: "application/json", body: JSON.stringify({ error }) };
  }
  const body = outcome.content.map((part) => (part.type === "text" ? part.text : JSON.stringify(part))).join("\n");
  return { type: typeof outcome.value === "string" ? "text/plain; charset=utf-8" : "application/json", body };
}
