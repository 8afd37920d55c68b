import { usageError } from "../command/exit-code.ts";
import type { DesktopHost, HttpServer } from "./hosts.ts";

/**
 * A token for the settings of a host. `$NAME` is kept as a name where the host reads variables; elsewhere its value is
 * written.
 */
export function hostBearer(
  given: string | undefined,
  { title, readsVariables }: DesktopHost,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): HttpServer["bearer"] {
  if (given === undefined) return undefined;
  const [, variable] = /^\$\{?([A-Za-z_]\w*)\}?$/.exec(given) ?? [];
  if (variable === undefined) return { token: given };
  if (readsVariables) return { variable };
  const token = environment[variable];
  if (token === undefined)
    throw usageError(`${title} reads no variables, so the token itself is written, but ${variable} is not set.`);
  return { token };
}
