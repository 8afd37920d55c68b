import type { IncomingMessage, ServerResponse } from "node:http";
import type { Redactor } from "../call/redact/redactor.ts";
import { BiplaneError } from "../errors.ts";
import type { ServeOptions } from "../server/listening.ts";
import { sendJson } from "../transport/http.ts";
import { answerAdmin } from "./admin-endpoint.ts";
import { discoveryDocument, isDiscoveryPath } from "./discovery.ts";
import { sendError } from "./http-json.ts";
import { withoutToken } from "./path-token.ts";
import { resourceMetadata } from "./protected-resource.ts";
import { Readiness } from "./readiness.ts";
import { sendResponse } from "./send-response.ts";
import type { ServerRoutes } from "./server-routes.ts";

export interface PublicPathsOptions extends ServeOptions {
  readonly addressOf: (request: IncomingMessage) => string;
  readonly redactor: () => Redactor | undefined;
  readonly report: (fault: unknown, where: string) => void;
}

interface PublicRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly path: string;
}

/** The paths that need no token, and the admin API, which authenticates by itself. */
export class PublicPaths {
  readonly #all: readonly ServerRoutes[];
  readonly #options: PublicPathsOptions;
  readonly #readiness: Readiness;

  constructor(all: readonly ServerRoutes[], options: PublicPathsOptions) {
    this.#all = all;
    this.#options = options;
    this.#readiness = new Readiness(options.ready);
  }

  /** Returns false for any other path. */
  serve(asked: PublicRequest): boolean {
    const { response, path } = asked;
    if (path === "/healthz") sendJson(response, 200, '{"status":"ok"}');
    else if (path === "/health") sendJson(response, 200, '{"status":"healthy"}');
    else if (path === "/readyz") this.#readiness.answer(response);
    else if (this.#options.people && (path === "/api" || path.startsWith("/api/"))) this.#serveAdmin(asked);
    else if (isDiscoveryPath(path)) this.#serveDiscovery(asked);
    else if (path.startsWith("/.well-known/")) this.#serveMetadata(asked);
    else return this.#servePage(asked);
    return true;
  }

  /** From now on, this process is not ready. */
  close(): void {
    this.#readiness.close();
  }

  #serveAdmin({ request, response, path }: PublicRequest): void {
    const { people, publicUrl, report, redactor, addressOf } = this.#options;
    if (!people) return;
    const origin = publicUrl === undefined ? `http://${request.headers.host}` : new URL(publicUrl).origin;
    void answerAdmin(people, { request, response, path, address: addressOf(request), origin, report, redactor });
  }

  #serveDiscovery({ request, response, path }: PublicRequest): void {
    const { publicUrl, discoverable } = this.#options;
    const { host, "if-none-match": known } = request.headers;
    const address = publicUrl ?? `http://${host ?? ""}`;
    const asked = discoverable && URL.canParse(address) ? { path, origin: new URL(address).origin, known } : undefined;
    const found = asked && discoveryDocument(this.#all, { ...asked, method: request.method }, this.#options);
    if (found) sendResponse(response, found);
    else sendNothingServed(response, path, this.#options.redactor());
  }

  #serveMetadata({ response, path }: PublicRequest): void {
    const metadata = resourceMetadata(path, this.#options.authenticate?.resource);
    if (metadata !== undefined) sendJson(response, 200, metadata, { "cache-control": "max-age=3600" });
    else sendNothingServed(response, path, this.#options.redactor());
  }

  #servePage({ request, response, path }: PublicRequest): boolean {
    const isRead = request.method === "GET" || request.method === "HEAD";
    const file = isRead ? this.#options.page?.handle(path, request.headers["accept-encoding"]) : undefined;
    if (file) sendResponse(response, file);
    return file !== undefined;
  }
}

export function sendNothingServed(response: ServerResponse, path: string, redactor: Redactor | undefined): void {
  const message = `Nothing is served at ${withoutToken(path)}. MCP is at /mcp.`;
  sendError(response, new BiplaneError("NOT_FOUND", message), { redactor });
}
