import { BiplaneError } from "../../errors.ts";
import type { Target } from "../options.ts";
import type { ServerConfig } from "./connect-options.ts";

/** An MCP server to connect to. */
export interface NamedServer {
  readonly name: string;
  readonly target: Target;
  readonly headers: Readonly<Record<string, string>>;
}

/** Reads one server of an `mcpServers` config and resolves its environment variables. */
export function namedServer(
  name: string,
  config: ServerConfig,
  env: Readonly<Record<string, string | undefined>>,
): NamedServer {
  const { command, args = [], url, cwd } = config;
  const headers =
    config.authorization === undefined
      ? { ...config.headers }
      : { ...config.headers, authorization: substitute(config.authorization, name, env) };
  if (command === undefined) {
    if (url === undefined) throw new BiplaneError("INVALID_DEFINITION", `The server ${name} needs a command or a url.`);
    return { name, target: url, headers };
  }
  const listed = Array.isArray(config.env) ? (config.env as readonly string[]) : undefined;
  const missing = (listed ?? []).filter((each) => env[each] === undefined);
  if (missing.length > 0)
    throw new BiplaneError(
      "INVALID_DEFINITION",
      `The server ${name} needs the environment variables ${missing.join(", ")}.`,
    );
  const passed = listed
    ? Object.fromEntries(listed.map((each) => [each, env[each] ?? ""]))
    : ((config.env ?? {}) as Readonly<Record<string, string>>);
  return { name, target: { command, args, env: passed, ...(cwd !== undefined && { cwd }) }, headers };
}

function substitute(text: string, name: string, env: Readonly<Record<string, string | undefined>>): string {
  return text.replaceAll(/\$\{(\w+)\}|\$(\w+)/g, (_, braced: string | undefined, plain: string | undefined) => {
    const variable = braced ?? plain ?? "";
    const value = env[variable];
    if (value === undefined)
      throw new BiplaneError("INVALID_DEFINITION", `The server ${name} needs the environment variable ${variable}.`);
    return value;
  });
}
