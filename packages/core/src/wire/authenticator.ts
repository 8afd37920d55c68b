import { BiplaneError } from "../errors.ts";
import type { NetworkRequest } from "../server/authenticate.ts";
import type { ServeOptions } from "../server/listening.ts";
import type { Principal } from "../tool/call.ts";
import { challenge } from "./protected-resource.ts";
import { isRecord } from "../is-record.ts";

/** The callers an endpoint is for. `monitors` need the scope `metrics`. */
export type Audience = "agents" | "trainers" | "monitors";

/** The HTTP response for a caller who failed authentication. */
export class AuthenticationError {
  readonly error: BiplaneError;
  readonly headers: Readonly<Record<string, string>>;

  constructor(error: BiplaneError, headers: Readonly<Record<string, string>> = {}) {
    this.error = error;
    this.headers = headers;
  }
}

/** Identifies a caller and checks that it may use the endpoint. */
export class Authenticator {
  readonly #options: ServeOptions;
  readonly #report: (fault: unknown, where: string) => void;
  readonly #anonymous = new AnonymousCallers();

  constructor(options: ServeOptions, report: (fault: unknown, where: string) => void) {
    this.#options = options;
    this.#report = report;
  }

  /** Returns a promise only if `authenticate` does. */
  identify(
    caller: NetworkRequest,
    audience: Audience,
  ): Principal | AuthenticationError | Promise<Principal | AuthenticationError> {
    const { authenticate, openTrainerEndpoints } = this.#options;
    const isTrainer = audience === "trainers";
    if (!authenticate || (isTrainer && openTrainerEndpoints)) return this.#anonymous.at(caller.address, isTrainer);
    try {
      const known = authenticate(caller);
      if (!isPromise(known)) return this.#admit(known, caller, audience);
      return Promise.resolve(known)
        .then((late) => this.#admit(late, caller, audience))
        .catch((error: unknown) => this.#refuse(error));
    } catch (error) {
      return this.#refuse(error);
    }
  }

  #admit(
    principal: Principal | undefined,
    caller: NetworkRequest,
    audience: Audience,
  ): Principal | AuthenticationError {
    const resource = this.#options.authenticate?.resource;
    if (principal === undefined) {
      const hasCredentials = caller.token !== undefined || caller.headers["authorization"] !== undefined;
      const error = hasCredentials ? "invalid_token" : undefined;
      return unauthorized(nothingValid, challenge(resource, { error }));
    }
    if (!isPrincipal(principal))
      throw new TypeError("authenticate must return a principal with kind, id and scopes, or undefined");
    // URLs leak more easily than headers, so a token in the path only opens what trainers use.
    const isOpen = caller.token === undefined && mayUse(principal, audience);
    if (isOpen || principal.kind === "trainer") return principal;
    return new AuthenticationError(new BiplaneError("FORBIDDEN", whyClosed(caller, audience)));
  }

  /** The caller sees an UNAUTHORIZED message; any other failure of `authenticate` goes to the log. */
  #refuse(thrown: unknown): AuthenticationError {
    const { code, message, details, cause } =
      thrown instanceof BiplaneError ? thrown : new BiplaneError("INTERNAL", nothingValid, { cause: thrown });
    if (code !== "UNAUTHORIZED" && cause !== undefined) this.#report(thrown, "authenticate");
    if (code === "CAPACITY") return new AuthenticationError(new BiplaneError(code, message), { "retry-after": "5" });
    if (code !== "UNAUTHORIZED") return unauthorized(nothingValid, "Bearer");
    const error = typeof details?.["error"] === "string" ? details["error"] : "invalid_token";
    const scopes = Array.isArray(details?.["scopes"]) ? { scopes: details["scopes"] as string[] } : {};
    const fault = { error, description: message, scheme: details?.["scheme"], ...scopes };
    const header = challenge(this.#options.authenticate?.resource, fault);
    if (error !== "insufficient_scope") return unauthorized(message, header, details?.["headers"]);
    return new AuthenticationError(new BiplaneError("FORBIDDEN", message), { "www-authenticate": header });
  }
}

function unauthorized(message: string, header: string, more?: unknown): AuthenticationError {
  const headers = { ...(isRecord(more) && (more as Record<string, string>)), "www-authenticate": header };
  return new AuthenticationError(new BiplaneError("UNAUTHORIZED", message), headers);
}

function whyClosed({ token }: NetworkRequest, audience: Audience): string {
  if (token !== undefined)
    return "A token in the path must be of kind trainer. Send others in the Authorization header.";
  if (audience === "monitors") return "Metrics need a token with the scope metrics.";
  return "This endpoint is for trainers. Use a token of kind trainer.";
}

const nothingValid = "Credentials are missing or not valid";

function mayUse({ scopes }: Principal, audience: Audience): boolean {
  return audience === "agents" || (audience === "monitors" && scopes.includes("metrics"));
}

function isPromise(known: unknown): known is Promise<Principal | undefined> {
  return typeof known === "object" && known !== null && "then" in known;
}

/** `authenticate` may be plain JavaScript, so its result is checked at run time. */
function isPrincipal(value: unknown): value is Principal {
  return (
    isRecord(value) &&
    typeof value["kind"] === "string" &&
    typeof value["id"] === "string" &&
    Array.isArray(value["scopes"])
  );
}

/** Principals of unauthenticated callers, one per address. */
class AnonymousCallers {
  readonly #agents = new Map<string, Principal>();
  readonly #trainers = new Map<string, Principal>();

  at(address: string, isTrainer: boolean): Principal {
    const known = isTrainer ? this.#trainers : this.#agents;
    let principal = known.get(address);
    if (!principal) {
      if (known.size >= 1000) known.clear();
      principal = Object.freeze({
        kind: isTrainer ? "trainer" : "anonymous",
        id: address,
        scopes: Object.freeze([]),
      });
      known.set(address, principal);
    }
    return principal;
  }
}
