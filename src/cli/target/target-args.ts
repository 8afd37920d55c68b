import type { ConnectOptions } from "../../client/options.ts";
import { BiplaneError } from "../../errors.ts";
import { cleanLine } from "../terminal/clean-text.ts";

/** The options of every command that talks to a server. */
export const targetArgs = {
  bearer: { type: "string", description: "A token for the server, better as $NAME of a variable that holds it" },
  header: { type: "string", description: 'A header for each request: "X-Key: value", or with $NAME of a variable' },
  timeout: { type: "string", description: "How many seconds a request may take: 30" },
  verbose: { type: "boolean", description: "Show what a started server writes to standard error", default: false },
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
  if (header !== undefined && name === undefined)
    throw new BiplaneError("INVALID_DEFINITION", '--header is written "Name: value"');
  if (timeout !== undefined && !(Number(timeout) > 0))
    throw new BiplaneError("INVALID_DEFINITION", "--timeout is a number of seconds");
  return {
    ...(bearer !== undefined && { bearer: putIn(bearer, environment) }),
    ...(name !== undefined && { headers: { [name]: putIn(value ?? "", environment) } }),
    ...(timeout !== undefined && { timeoutMs: Number(timeout) * 1000 }),
    ...(verbose && { onStderr: (line: string) => void process.stderr.write(`${cleanLine(line)}\n`) }),
  };
}

/** A secret on a command line can be seen by everyone on the machine; the name of a variable can as well. */
function putIn(text: string, environment: Readonly<Record<string, string | undefined>>): string {
  return text.replaceAll(/\$\{?([A-Za-z_]\w*)\}?/g, (_, name: string) => {
    const value = environment[name];
    if (value === undefined) throw new BiplaneError("INVALID_DEFINITION", `${name} is not set in the environment`);
    return value;
  });
}
