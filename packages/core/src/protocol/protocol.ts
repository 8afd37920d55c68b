/** The stateless protocol version: every request carries all it needs. */
export const modernVersion = "2026-07-28";

/** Versions that begin with an `initialize` handshake, newest first. */
export const legacyVersions: readonly string[] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

export const latestLegacy = "2025-11-25";

export type Era = "modern" | "legacy";

export const metaKey = {
  protocolVersion: "io.modelcontextprotocol/protocolVersion",
  clientInfo: "io.modelcontextprotocol/clientInfo",
  clientCapabilities: "io.modelcontextprotocol/clientCapabilities",
  logLevel: "io.modelcontextprotocol/logLevel",
  serverInfo: "io.modelcontextprotocol/serverInfo",
  subscriptionId: "io.modelcontextprotocol/subscriptionId",
  agent: "dev.biplane/agent",
  episode: "dev.biplane/episode",
  idempotencyKey: "dev.biplane/idempotency-key",
  step: "dev.biplane/step",
  error: "dev.biplane/error",
} as const;

export const tasksExtension = "io.modelcontextprotocol/tasks";
export const skillsExtension = "io.modelcontextprotocol/skills";
/** The MCP Apps extension. */
export const appsExtension = "io.modelcontextprotocol/ui";

/** Error codes of JSON-RPC and MCP. Only `wire/` and `client/` use them. */
export const rpcCode = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  server: -32000,
  legacyResourceNotFound: -32002,
  headerMismatch: -32020,
  missingCapability: -32021,
  unsupportedVersion: -32022,
} as const;

/** The code of a cancelled request, for clients that accept no event stream; others get no message. */
export const cancelledCode = -32800;
