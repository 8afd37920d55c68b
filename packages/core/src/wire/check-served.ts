import { Environment } from "../environment/environment.ts";
import { BiplaneError } from "../errors.ts";
import type { ServeOptions } from "../server/listening.ts";
import { isLoopback } from "../transport/guard.ts";
import { serverOf } from "../environment/served.ts";
import type { Served } from "../environment/served.ts";

/** Throws if a server may not be served as it is: production mode needs a policy. Every transport calls this. */
export function checkServed(served: readonly Served[]): void {
  for (const each of served) {
    const { name, mode, policies } = serverOf(each);
    if (mode === "production" && policies.length === 0) {
      throw new BiplaneError(
        "INVALID_DEFINITION",
        `${name} is in production mode without a policy. Add one with policies or .policy(…), or use mode "simulation".`,
      );
    }
  }
}

/** Throws if listening on `host` would be unsafe with these options. */
export function checkListenAddress(served: readonly Served[], host: string, options: ServeOptions): void {
  const { authenticate, openTrainerEndpoints, people, publicUrl } = options;
  if (publicUrl !== undefined) checkPublicUrl(publicUrl, people !== undefined);
  if (isLoopback(host)) return;
  if (!authenticate && !(openTrainerEndpoints && served.every(isForTrainers))) {
    throw new BiplaneError(
      "INVALID_DEFINITION",
      `${host} can be reached from other machines. Pass authenticate to serve(), such as bearerTokens([…]), or listen on 127.0.0.1. On a private network of trainers, openTrainerEndpoints opens environments in simulation mode.`,
    );
  }
  if (people && publicUrl === undefined) {
    throw new BiplaneError(
      "INVALID_DEFINITION",
      `People cannot sign in safely at ${host}. Set publicUrl to the https address that they use.`,
    );
  }
}

/** Whether trainers may reset it, step it and read its rewards. */
export function isForTrainers(served: Served): served is Environment {
  return served instanceof Environment && served.server.mode === "simulation";
}

/** Session cookies need https, except on loopback. */
function checkPublicUrl(publicUrl: string, isForPeople: boolean): void {
  const url = URL.canParse(publicUrl) ? new URL(publicUrl) : undefined;
  const isWeb = url !== undefined && /^https?:$/.test(url.protocol) && url.pathname === "/" && url.search === "";
  if (isWeb && (!isForPeople || url.protocol === "https:" || isLoopback(url.hostname))) return;
  throw new BiplaneError(
    "INVALID_DEFINITION",
    `publicUrl ${JSON.stringify(publicUrl)} is not usable. It must be an origin without a path, such as https://tools.example.com${isForPeople ? "; signing in requires https" : ""}.`,
  );
}
