import { BiplaneError } from "../errors.ts";
import type { NetworkRequest } from "../server/authenticate.ts";
import type { ServeOptions } from "../server/listening.ts";
import type { Principal } from "../tool/call.ts";
import { challenge } from "./protected-resource.ts";

/** Whom a door lets in. */
export type Admission = "agents" | "trainers" | "watchers";

/** Why a caller is not let in, as HTTP says it. */
export class Refusal {
  readonly status: number;
  readonly message: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    this.status = status;
    this.message = message;
    this.headers = headers;
  }
}

/**
 * Says who a caller is, and whether that opens the door it stands at. Who it is decides nothing else: which episode is
 * meant, the address or the message says.
 */
export class Gatekeeper {
  readonly #options: ServeOptions;
  readonly #report: (fault: unknown, where: string) => void;
  readonly #strangers = new Strangers();

  constructor(options: ServeOptions, report: (fault: unknown, where: string) => void) {
    this.#options = options;
    this.#report = report;
  }

  /** At once, where nobody has to be asked. */
  identify(caller: NetworkRequest, admission: Admission): Principal | Refusal | Promise<Principal | Refusal> {
    const { authenticate, openTrainerDoors } = this.#options;
    const isTrainer = admission === "trainers";
    if (!authenticate || (isTrainer && openTrainerDoors)) return this.#strangers.at(caller.address, isTrainer);
    try {
      const known = authenticate(caller);
      if (!isPromise(known)) return this.#admit(known, caller, admission);
      return Promise.resolve(known)
        .then((late) => this.#admit(late, caller, admission))
        .catch((error: unknown) => this.#refuse(error));
    } catch (error) {
      return this.#refuse(error);
    }
  }

  #admit(principal: Principal | undefined, caller: NetworkRequest, admission: Admission): Principal | Refusal {
    const resource = this.#options.authenticate?.resource;
    if (principal === undefined) {
      const brought = caller.token !== undefined || caller.headers["authorization"] !== undefined;
      const error = brought ? "invalid_token" : undefined;
      return new Refusal(401, nothingValid, { "www-authenticate": challenge(resource, { error }) });
    }
    if (!isPrincipal(principal)) throw new TypeError("authenticate gave something that is no principal");
    // An address is seen by more eyes than a header is, so what it opens is only what has no headers to send.
    const isOpen = caller.token === undefined && mayEnter(principal, admission);
    if (isOpen || principal.kind === "trainer") return principal;
    const description = "This door is for trainers: it takes a token of kind trainer";
    return new Refusal(401, description, { "www-authenticate": challenge(resource, { description }) });
  }

  /** What an authenticator has to say is for the caller; what breaks in one is for the operator. */
  #refuse(thrown: unknown): Refusal {
    const { code, message, details, cause } =
      thrown instanceof BiplaneError ? thrown : new BiplaneError("INTERNAL", nothingValid, { cause: thrown });
    if (code !== "UNAUTHORIZED" && cause !== undefined) this.#report(thrown, "authenticate");
    if (code === "CAPACITY") return new Refusal(503, message, { "retry-after": "5" });
    if (code !== "UNAUTHORIZED") return new Refusal(401, nothingValid, { "www-authenticate": "Bearer" });
    const error = typeof details?.["error"] === "string" ? details["error"] : "invalid_token";
    const scopes = Array.isArray(details?.["scopes"]) ? { scopes: details["scopes"] as string[] } : {};
    const header = challenge(this.#options.authenticate?.resource, { error, description: message, ...scopes });
    return new Refusal(error === "insufficient_scope" ? 403 : 401, message, { "www-authenticate": header });
  }
}

const nothingValid = "Credentials are missing or not valid";

function mayEnter({ scopes }: Principal, admission: Admission): boolean {
  return admission === "agents" || (admission === "watchers" && scopes.includes("metrics"));
}

function isPromise(known: unknown): known is Promise<Principal | undefined> {
  return typeof known === "object" && known !== null && "then" in known;
}

/** An authenticator may be plain JavaScript: only what is surely a principal counts. */
function isPrincipal(value: unknown): value is Principal {
  const { kind, id, scopes } = (typeof value === "object" && value !== null ? value : {}) as Partial<Principal>;
  return typeof kind === "string" && typeof id === "string" && Array.isArray(scopes);
}

/** Those who prove nothing, by where they come from. */
class Strangers {
  readonly #known = new Map<string, Principal>();

  at(address: string, isTrainer: boolean): Principal {
    const kind = isTrainer ? "trainer" : "anonymous";
    const key = `${kind} ${address}`; // what a proxy passes on as an address may be any text
    let principal = this.#known.get(key);
    if (!principal) {
      if (this.#known.size >= 1000) this.#known.clear();
      principal = Object.freeze({ kind, id: address, scopes: Object.freeze([]) });
      this.#known.set(key, principal);
    }
    return principal;
  }
}
