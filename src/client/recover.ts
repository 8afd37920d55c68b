import { BiplaneError } from "../errors.ts";
import type { Params } from "../protocol/rpc.ts";
import type { Connection, WireOptions } from "./connection.ts";
import type { Link } from "./link.ts";
import { Deadline } from "./deadline.ts";
import { deliveryOf, isLost } from "./lost.ts";
import type { RequestOptions } from "./options.ts";

export interface Recoverable {
  readonly method: string;
  readonly params: Params;
  readonly options: RequestOptions;
  readonly timeoutMs: number;
  /** Whether doing it twice does no harm. Asked only when something was lost. */
  readonly isRepeatable: () => Promise<boolean>;
  readonly wire: (connection: Connection) => WireOptions;
}

/**
 * Sends a request over whatever connection there is. When it is lost, what may be repeated is; the rest fails with an
 * error that says what was not done again.
 */
export async function recover(link: Link, request: Recoverable): Promise<Params> {
  const { method, params, options } = request;
  for (let attempt = 1; ; attempt++) {
    const connection = await standing(link, request);
    try {
      const result = await connection.request(method, params, { ...options, ...request.wire(connection) });
      link.proved(connection);
      return result;
    } catch (error) {
      if (!(error instanceof BiplaneError) || !isLost(error)) throw error;
      link.drop(connection);
      if (link.isClosed) throw error;
      if (attempt >= mostAttempts) throw gaveUp(request, error, attempt);
      if (deliveryOf(error) !== "no" && !(await request.isRepeatable())) throw notRepeated(request, error);
    }
  }
}

const mostAttempts = 4;

async function standing(link: Link, { method, options, timeoutMs }: Recoverable): Promise<Connection> {
  if (link.current) return link.current;
  using deadline = new Deadline(options.timeoutMs ?? timeoutMs, {
    what: `reconnecting for ${method}`,
    signal: options.signal,
  });
  try {
    return await link.get(deadline.signal);
  } catch (error) {
    if (error instanceof BiplaneError || !options.signal?.aborted) throw error;
    throw new BiplaneError("CANCELLED", `${method} was cancelled`, { cause: error });
  }
}

function notRepeated(request: Recoverable, error: BiplaneError): BiplaneError {
  const happened =
    deliveryOf(error) === "refused"
      ? "it was not done, and not tried again in the new session"
      : "it may have been done or not, and was not tried again";
  const message = `${error.message}; ${subjectOf(request)} is not marked idempotent or read-only, so ${happened}`;
  return failure(request, message, error);
}

function gaveUp(request: Recoverable, error: BiplaneError, attempts: number): BiplaneError {
  return failure(request, `${error.message}; ${subjectOf(request)} was given up after ${attempts} attempts`, error);
}

function failure({ method, params }: Recoverable, message: string, error: BiplaneError): BiplaneError {
  const notRetried = { method, ...(typeof params["name"] === "string" && { name: params["name"] }) };
  return new BiplaneError("EXECUTION_ERROR", message, { cause: error, details: { ...error.details, notRetried } });
}

function subjectOf({ method, params }: Recoverable): string {
  return typeof params["name"] === "string" ? `${method} ${JSON.stringify(params["name"])}` : method;
}
