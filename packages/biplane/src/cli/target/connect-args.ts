import { toggle, number, option } from "../command/define.ts";
import type { ConnectOptions } from "@biplane/core/client";
import { usageError } from "../command/exit-code.ts";
import { cleanLine } from "../terminal/clean-text.ts";

/** Options of every command that connects to a server. */
export const connectArgs = {
  bearer: option("A bearer token; '$NAME' in single quotes reads it from an environment variable"),
  header: option("A header for each request, such as 'X-Key: $NAME'"),
  timeout: option("Timeout of a request, in seconds (default: 30)", { takes: number }),
  verbose: toggle("Show the standard error of a started server"),
} as const;

export function connectOptions(
  args: {
    bearer?: string | undefined;
    header?: string | undefined;
    timeout?: string | undefined;
    verbose?: boolean | undefined;
  },
  environment: Readonly<Record<string, string | undefined>> = process.env,
): ConnectOptions {
  const { bearer, header, timeout, verbose } = args;
  const [, name, value] = /^\s*([^:\s]+)\s*:\s*(.*)$/s.exec(header ?? "") ?? [];
  if (header !== undefined && name === undefined) throw usageError('--header must have the form "Name: value".');
  if (timeout !== undefined && !(Number(timeout) > 0))
    throw usageError("--timeout must be a number of seconds greater than 0.");
  return {
    ...(bearer !== undefined && { bearer: expandVariables(bearer, environment) }),
    ...(name !== undefined && { headers: { [name]: expandVariables(value ?? "", environment) } }),
    ...(timeout !== undefined && { timeoutMs: Number(timeout) * 1000 }),
    ...(verbose && { onStderr: (line: string) => void process.stderr.write(`${cleanLine(line)}\n`) }),
  };
}

/** Replaces `$NAME`. Every user of the machine can see a command line, so secrets should not be on it. */
function expandVariables(text: string, environment: Readonly<Record<string, string | undefined>>): string {
  return text.replaceAll(/\$\{?([A-Za-z_]\w*)\}?/g, (_, name: string) => {
    const value = environment[name];
    if (value === undefined) throw usageError(`The environment variable ${name} is not set.`);
    return value;
  });
}
