import { Environment } from "../environment/environment.ts";
import { BiplaneError } from "../errors.ts";
import type { ServeOptions } from "../server/listening.ts";
import { isLoopback } from "../transport/guard.ts";
import type { Served } from "./wing.ts";

/** Refuses to serve what would stand open: no wire starts around this. */
export function checkServed(served: readonly Served[]): void {
  for (const each of served) {
    const { name, mode, policies } = each instanceof Environment ? each.server : each;
    if (mode === "production" && policies.length === 0) {
      throw new BiplaneError(
        "INVALID_DEFINITION",
        `${name} is in production mode without a policy: give it one with policies or .policy(…), or leave mode at "simulation"`,
      );
    }
    if (each instanceof Environment && reservedNames.includes(name)) {
      throw new BiplaneError("INVALID_DEFINITION", `an environment may not be called ${name}: that path is taken`);
    }
  }
}

/** The same for an address on the network. */
export function checkAddress(served: readonly Served[], host: string, options: ServeOptions): void {
  const { authenticate, openTrainerDoors, people, publicUrl } = options;
  if (publicUrl !== undefined) checkPublicUrl(publicUrl, people !== undefined);
  if (isLoopback(host)) return;
  if (!authenticate && !(openTrainerDoors && served.every(isForTrainers))) {
    throw new BiplaneError(
      "INVALID_DEFINITION",
      `${host} can be reached from outside this machine: give serve() an authenticate function, such as bearerTokens([…]), or listen on 127.0.0.1; for trainers on a network of their own, openTrainerDoors opens environments in simulation mode`,
    );
  }
  if (people && publicUrl === undefined) {
    throw new BiplaneError(
      "INVALID_DEFINITION",
      `people cannot log in at ${host} safely: set publicUrl to the https address that they use`,
    );
  }
}

const reservedNames = ["api", "mcp", "e", "env", "control", "k"];

function isForTrainers(served: Served): boolean {
  return served instanceof Environment && served.server.mode === "simulation";
}

/** Cookies over plain HTTP would be anyone's on the way; on this machine there is no way. */
function checkPublicUrl(publicUrl: string, isForPeople: boolean): void {
  const url = URL.canParse(publicUrl) ? new URL(publicUrl) : undefined;
  const isWeb = url !== undefined && /^https?:$/.test(url.protocol) && url.pathname === "/" && url.search === "";
  if (isWeb && (!isForPeople || url.protocol === "https:" || isLoopback(url.hostname))) return;
  throw new BiplaneError(
    "INVALID_DEFINITION",
    `publicUrl must be an address without a path, such as https://tools.example.com${isForPeople ? ", and people need https" : ""}: it is ${JSON.stringify(publicUrl)}`,
  );
}
