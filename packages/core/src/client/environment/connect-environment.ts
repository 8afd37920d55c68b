import type { ConnectEnvironmentOptions, EnvironmentTarget } from "./connect-options.ts";
import { connectorFor } from "./connector.ts";
import type { EnvironmentClient } from "./environment-client.ts";

/**
 * Connects to an environment: one in this process, an OpenEnv or Eval Protocol server at a URL, or an MCP server. Call
 * `reset()` first, then `step(action)`, and `close()` when done.
 */
export async function connectEnvironment(
  target: EnvironmentTarget,
  options: ConnectEnvironmentOptions = {},
): Promise<EnvironmentClient> {
  const connector = await connectorFor(target, options);
  const client = connector.open();
  await connector.close(); // the client keeps what it uses
  return client;
}
