import type { EpisodeOwners } from "../../environment/episode-owners.ts";
import { BiplaneError, asBiplaneError } from "../../errors.ts";
import { tryParseJson } from "../../bounds/parse-json.ts";
import { sendError } from "../http-json.ts";
import { keepBody, readRequestBody, statusOfUnread } from "../request-body.ts";
import type { NodeRequest, RoutedRequest } from "../routed-request.ts";
import { hashOfBody, readForwarded } from "./forwarded.ts";
import type { NamingRequest } from "./request-names.ts";
import { sendOn, sendSocketOn } from "./send-on.ts";
import { mayHaveSession } from "./trainer-session.ts";
import type { Upgrade } from "./send-on.ts";

export interface EpisodeGateOptions {
  readonly maxBodyBytes: number;
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
    const { request, response, principal } = routed;
    const { key } = this.#owners.fleet;
    const forwarded = readForwarded(key, request);
    readRequestBody(request, { maxBytes: this.#options.maxBodyBytes, principal }, (body) => {
      if (body instanceof BiplaneError) return sendError(response, body, { status: statusOfUnread(body) });
      keepBody(request, body);
      if (forwarded) {
        if (forwarded.bodyHash === hashOfBody(body)) return serve();
        return sendError(response, new BiplaneError("FORBIDDEN", "The body is not the one that was signed."));
      }
      this.#locate({ ...routed, body: body === "" ? undefined : tryParseJson(body) }).then(
        (address) => {
          if (address === undefined) serve();
          else sendOn({ request, response, body }, { address, key, client: routed.address });
        },
        (error: unknown) => sendError(response, asBiplaneError(error)),
      );
    });
  }

  /** Returns true if the socket was connected to another process. */
  async handleSocket(
    { request, socket, head }: Upgrade,
    { path, principal, address: client }: Omit<RoutedRequest, "request" | "response">,
  ): Promise<boolean> {
    const { key } = this.#owners.fleet;
    if (readForwarded(key, request)) return false;
    const address = await this.#locate({ request, path, principal, body: undefined });
    if (address === undefined) return false;
    sendSocketOn({ request, socket, head }, { address, key, client });
    return true;
  }

  /** The address of another process that serves the request. */
  async #locate(naming: NamingRequest): Promise<string | undefined> {
    const name = this.#options.nameOf(naming);
    if (name === undefined) return undefined;
    const owner = await this.#owners.ownerOf(name);
    if (owner === this.#owners.fleet.processId) return undefined;
    const address = await this.#owners.fleet.addressOf(owner);
    if (address !== undefined) return address;
    throw new BiplaneError("CAPACITY", "The server that has the episode is not ready. Try again.", {
      details: { retryAfterMs: 1000 },
    });
  }
}
