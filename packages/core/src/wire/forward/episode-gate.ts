import type { EpisodeOwners } from "../../environment/episode-owners.ts";
import { callerOf, chargedTo } from "../../call/caller-of.ts";
import { Shares } from "../../call/shares.ts";
import { BiplaneError } from "../../errors.ts";
import { tryParseJson } from "../../bounds/parse-json.ts";
import { sendError } from "../http-json.ts";
import { nemoBodyBytes } from "../nemo-gym/endpoint.ts";
import { keepBody, readRequestBody, statusOfUnread } from "../request-body.ts";
import type { NodeRequest, RoutedRequest } from "../routed-request.ts";
import { hashOfBody, readForwarded } from "./forwarded.ts";
import type { Forwarded } from "./forwarded.ts";
import type { NamingRequest } from "./request-names.ts";
import { sendOn, sendSocketOn } from "./send-on.ts";
import { mayHaveSession } from "./trainer-session.ts";
import type { Upgrade } from "../../transport/websocket.ts";
import type { SendOnOptions } from "./send-on.ts";

export interface EpisodeGateOptions {
  readonly maxBodyBytes: number;
  readonly report: (fault: unknown) => void;
  /** The name of the episode or session that a request is about. */
  readonly nameOf: (naming: NamingRequest) => string | undefined;
}

/** Serves the requests for episodes of this process, and sends those for others on. */
export class EpisodeGate {
  readonly #owners: EpisodeOwners;
  readonly #options: EpisodeGateOptions;

  constructor(owners: EpisodeOwners, options: EpisodeGateOptions) {
    this.#owners = owners;
    this.#options = options;
  }

  /** True if the request may be about an episode. */
  static isAbout({ request, path }: Pick<NodeRequest, "request" | "path">): boolean {
    if (mayHaveSession(request, path)) return true;
    return /^\/(?:mcp(?:\/|\/execute)?|step|reset|state|e\/.*|control\/.*)$/.test(path);
  }

  /** Calls `serve` if this process must answer. */
  handle(routed: NodeRequest, serve: () => void): void {
    const { request, response, principal, path } = routed;
    const maxBytes = mayHaveSession(request, path)
      ? Math.max(this.#options.maxBodyBytes, nemoBodyBytes)
      : this.#options.maxBodyBytes;
    const { key } = this.#owners.fleet;
    const forwarded = readForwarded(key, request);
    readRequestBody(request, { maxBytes, principal }, (body) => {
      if (body instanceof BiplaneError)
        return sendError(response, body, { status: statusOfUnread(body), headers: { connection: "close" } });
      keepBody(request, body);
      if (forwarded) return this.#serveForwarded(routed, { forwarded, body, serve });
      this.#locate({ ...routed, body: () => (body === "" ? undefined : tryParseJson(body)) })
        .then((other) => {
          if (!other) return serve();
          const place = forwardedRequests.open(chargedTo(principal));
          const full = place.resize(1);
          if (full) return sendError(response, full);
          response.once("close", () => place.release());
          sendOn({ request, response, body }, { ...other, key, client: routed.address });
        })
        .catch((error: unknown) => this.#refuse(response, error));
    });
  }

  /** Serves what another process sent on, if it is meant for this one and this one may serve it. */
  #serveForwarded(
    { response }: NodeRequest,
    { forwarded, body, serve }: { forwarded: Forwarded; body: string; serve: () => void },
  ): void {
    const { fleet } = this.#owners;
    if (forwarded.bodyHash !== hashOfBody(body))
      return sendError(response, new BiplaneError("FORBIDDEN", "The body is not the one that was signed."));
    if (forwarded.to === fleet.processId && fleet.isTrusted) return serve();
    sendError(response, notReady());
  }

  /** Errors of the store are for the log. */
  #refuse(response: NodeRequest["response"], thrown: unknown): void {
    if (thrown instanceof BiplaneError && thrown.code !== "INTERNAL") return sendError(response, thrown);
    this.#options.report(thrown);
    sendError(response, notReady());
  }

  /** Returns true if the socket was connected to another process. */
  async handleSocket(
    { request, socket, head }: Upgrade,
    { path, principal, address: client }: Omit<RoutedRequest, "request" | "response">,
  ): Promise<boolean> {
    const { key } = this.#owners.fleet;
    const forwarded = readForwarded(key, request);
    if (forwarded?.to === this.#owners.fleet.processId) return false;
    const other = await this.#locate({ request, path, principal, body: () => undefined });
    if (!other) return false;
    sendSocketOn({ request, socket, head }, { ...other, key, client });
    return true;
  }

  /** Another process that serves the request. */
  async #locate(naming: NamingRequest): Promise<OtherProcess | undefined> {
    const name = this.#options.nameOf(naming);
    if (name === undefined) return undefined;
    const { fleet } = this.#owners;
    const to = await this.#owners.ownerOf(name, callerOf(naming.principal)).catch((error: unknown) => {
      // Who starts over need not hear that the episode before was lost.
      if (isLost(error) && isReset(naming.path)) return fleet.processId;
      throw error;
    });
    if (to === fleet.processId) return undefined;
    const address = await fleet.addressOf(to);
    if (address === undefined) throw notReady();
    return { to, address, isRunning: () => fleet.isRunning(to) };
  }
}

type OtherProcess = Pick<SendOnOptions, "to" | "address" | "isRunning">;

/** Requests that wait for another process. */
export const forwardedRequests = new Shares("requests sent on to other servers", { perCaller: 128, total: 4096 });

function isLost(error: unknown): boolean {
  return error instanceof BiplaneError && error.details?.["isLost"] === true;
}

function isReset(path: string): boolean {
  return path === "/reset" || path === "/control/reset_session";
}

function notReady(): BiplaneError {
  return new BiplaneError("CAPACITY", "The server that has the episode is not ready. Try again.", {
    details: { retryAfterMs: 1000 },
  });
}
