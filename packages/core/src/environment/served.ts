import { BiplaneError } from "../errors.ts";
import type { Server } from "../server/server.ts";
import { ServerCore } from "../server/server-core.ts";
import { Environment } from "./environment.ts";

/** Whatever can be served, connected to or mounted. */
export type Served = Server | Environment;

/** The server behind it. A value from another copy of the library has the methods, but not the inner parts. */
export function serverOf(served: Served): ServerCore {
  if (served instanceof Environment) return served.server;
  if (served instanceof ServerCore) return served;
  const name = JSON.stringify((served as { name?: unknown } | null)?.name ?? typeof served);
  throw new BiplaneError(
    "INVALID_DEFINITION",
    `${name} is not a server or environment of this copy of Biplane. Check that the package is installed only once.`,
  );
}
