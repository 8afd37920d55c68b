import { BiplaneError } from "../../errors.ts";
import type { Authenticate, NetworkRequest } from "../../server/authenticate.ts";
import type { Principal } from "../../tool/call.ts";

/**
 * Asks one after the other until somebody knows the caller. If nobody does, the first complaint is what it hears.
 * Their ids share one space: `ada` of the one is `ada` of the other.
 */
export function firstOf(...authenticators: readonly Authenticate[]): Authenticate {
  const resource = authenticators.find((each) => each.resource)?.resource;
  return Object.assign((request: NetworkRequest) => askFrom(authenticators, request, 0), { resource });
}

/** At once, as long as everyone asked answers at once. */
function askFrom(
  authenticators: readonly Authenticate[],
  request: NetworkRequest,
  at: number,
  complaint?: BiplaneError,
): Principal | undefined | Promise<Principal | undefined> {
  const authenticate = authenticators[at];
  if (!authenticate) {
    if (complaint) throw complaint;
    return undefined;
  }
  const goOn = (said: Principal | BiplaneError | undefined) => {
    if (said && !(said instanceof BiplaneError)) return said;
    return askFrom(authenticators, request, at + 1, complaint ?? said);
  };
  const said = ask(authenticate, request);
  return said instanceof Promise ? said.catch(complaintOf).then(goOn) : goOn(said);
}

function ask(authenticate: Authenticate, request: NetworkRequest): ReturnType<Authenticate> | BiplaneError {
  try {
    return authenticate(request);
  } catch (error) {
    return complaintOf(error);
  }
}

/** What one has to say to a caller leaves it to the others; what breaks in one is nobody's answer. */
function complaintOf(error: unknown): BiplaneError {
  if (error instanceof BiplaneError) return error;
  throw error;
}
