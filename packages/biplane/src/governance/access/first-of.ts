import { BiplaneError } from "@biplane/core";
import type { Authenticate, NetworkRequest, Principal } from "@biplane/core";

/**
 * Tries each authenticator in order until one returns a principal. If none does, the caller gets the first error.
 * Principal ids share one namespace: `ada` of one is `ada` of the other.
 */
export function firstOf(...authenticators: readonly Authenticate[]): Authenticate {
  const resource = authenticators.find((each) => each.resource)?.resource;
  return Object.assign((request: NetworkRequest) => tryFrom(authenticators, request, 0), { resource });
}

/** Stays synchronous as long as every authenticator does. */
function tryFrom(
  authenticators: readonly Authenticate[],
  request: NetworkRequest,
  at: number,
  firstError?: BiplaneError,
): Principal | undefined | Promise<Principal | undefined> {
  const authenticate = authenticators[at];
  if (!authenticate) {
    if (firstError) throw firstError;
    return undefined;
  }
  const next = (answer: Principal | BiplaneError | undefined) => {
    if (answer && !(answer instanceof BiplaneError)) return answer;
    return tryFrom(authenticators, request, at + 1, firstError ?? answer);
  };
  const answer = tryOne(authenticate, request);
  return answer instanceof Promise ? answer.catch(toCallerError).then(next) : next(answer);
}

function tryOne(authenticate: Authenticate, request: NetworkRequest): ReturnType<Authenticate> | BiplaneError {
  try {
    return authenticate(request);
  } catch (error) {
    return toCallerError(error);
  }
}

/** On a `BiplaneError` the next authenticator is tried; the caller sees the first error if all fail. */
function toCallerError(error: unknown): BiplaneError {
  if (error instanceof BiplaneError) return error;
  throw error;
}
