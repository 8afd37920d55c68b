import { hash } from "node:crypto";
import { legacyVersions, modernVersion } from "../protocol/protocol.ts";
import type { EndpointResponse } from "../server/endpoints.ts";
import type { ServeOptions } from "../server/listening.ts";
import type { ServerCore } from "../server/server-core.ts";
import { isLoopback } from "../transport/guard.ts";
import { cardText } from "./card-text.ts";
import { redactedJson } from "./redacted-json.ts";

/** A server behind a port. The first one is also at the root. */
interface DiscoverableServer {
  readonly name: string;
  readonly server: ServerCore;
}

/** Where a document is requested. */
export interface DiscoveryRequest {
  readonly method: string | undefined;
  /** Without the query. */
  readonly path: string;
  /** How clients reach this port, such as `https://tools.example.com`. */
  readonly origin: string;
  /** The ETag that the client has. */
  readonly known: string | undefined;
}

/** True for the paths of documents by which clients find servers. */
export function isDiscoveryPath(path: string): boolean {
  return /^(\/env\/[^/]+)?\/mcp\/server-card$/.test(path) || Object.hasOwn(catalogues, path);
}

/**
 * The Server Card of each server (SEP-2127), and the catalogue of all of them: AI Catalog, and ARD, which has the same
 * form. They need no credentials, and say nothing about tools.
 */
export function discoveryDocument(
  servers: readonly DiscoverableServer[],
  request: DiscoveryRequest,
  { authenticate }: Pick<ServeOptions, "authenticate">,
): EndpointResponse | undefined {
  if (request.method === "OPTIONS") return { status: 204, headers: { ...crossOrigin } };
  if (request.method !== "GET" && request.method !== "HEAD") return undefined;
  const { path, origin } = request;
  const type = catalogues[path];
  if (type !== undefined) return answer(catalogue(servers, origin), type, request);
  const found = servers.find((_, at) => cardPath(servers, at) === path || ownCardPath(servers, at) === path);
  if (!found) return undefined;
  const url = origin + path.slice(0, -"/server-card".length);
  return answer(redacted(serverCard(found, url, authenticate !== undefined), found.server), cardType, request);
}

const cardType = "application/mcp-server-card+json";

const catalogues: Readonly<Record<string, string>> = {
  "/.well-known/ai-catalog.json": "application/ai-catalog+json",
  "/.well-known/ard.json": "application/json",
};

function cardPath(servers: readonly DiscoverableServer[], at: number): string {
  return at === 0 ? "/mcp/server-card" : ownCardPath(servers, at);
}

function ownCardPath(servers: readonly DiscoverableServer[], at: number): string {
  return `/env/${servers[at]?.name ?? ""}/mcp/server-card`;
}

function serverCard({ name, server }: DiscoverableServer, url: string, needsToken: boolean): object {
  const { websiteUrl, icons } = server.options;
  const title = cardText(server.options.title);
  const variables = { token: { isSecret: true } };
  const header = { name: "Authorization", isRequired: true, isSecret: true, value: "Bearer {token}", variables };
  const remote = {
    type: "streamable-http",
    url,
    supportedProtocolVersions: [modernVersion, ...legacyVersions],
    ...(needsToken && { headers: [header] }),
  };
  return {
    $schema: "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json",
    name: cardName(url, name),
    version: server.version,
    description: cardText(server.options.description) ?? title ?? cardText(`The MCP server ${name}`),
    ...(title !== undefined && { title }),
    ...(websiteUrl !== undefined && { websiteUrl }),
    ...(icons && { icons }),
    remotes: [remote],
  };
}

function catalogue(servers: readonly DiscoverableServer[], origin: string): object {
  const { hostname } = new URL(origin);
  const entries = servers.map(({ name, server }, at) =>
    redacted(
      {
        identifier: `urn:air:${hostname}:mcp:${plainName(name)}`,
        type: cardType,
        url: origin + cardPath(servers, at),
        displayName: cardText(server.options.title) ?? cardText(name),
      },
      server,
    ),
  );
  return { "@context": "https://agenticresourcediscovery.org/context/v1", specVersion: "1.0", entries };
}

/** Names are in the namespace of a domain that one controls: `com.example.tools/crm`. */
function cardName(url: string, name: string): string {
  const { hostname } = new URL(url);
  const isName = /[a-z]/i.test(hostname) && !hostname.startsWith("[");
  const domain = isName ? hostname.split(".").toReversed().join(".") : hostname.replaceAll(/[^\d.]/g, "-");
  return `${isLoopback(hostname) ? "localhost" : domain}/${plainName(name)}`.slice(0, 200);
}

function plainName(name: string): string {
  return name.replaceAll(/[^\w.-]/g, "-");
}

function redacted(document: object, { redactor }: ServerCore): object {
  return redactor?.value(document) ?? document;
}

const crossOrigin = {
  "access-control-allow-origin": "*",
  "access-control-allow-methods": "GET",
  "access-control-allow-headers": "Content-Type, If-None-Match",
  "access-control-expose-headers": "ETag",
  "cross-origin-resource-policy": "cross-origin",
};

function answer(document: object, type: string, { known }: DiscoveryRequest): EndpointResponse {
  const bytes = Buffer.from(redactedJson(document, undefined));
  const etag = `"${hash("sha256", bytes, "base64url")}"`;
  const headers = { ...crossOrigin, etag, "cache-control": "public, max-age=3600" };
  if (known === etag) return { status: 304, headers };
  return { status: 200, headers: { ...headers, "content-type": type }, bytes };
}
