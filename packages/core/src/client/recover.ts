import { BiplaneError } from "../errors.ts";
import type { Params } from "../protocol/rpc.ts";
import type { ClientConnection, WireOptions } from "./client-connection.ts";
import type { Reconnector } from "./reconnector.ts";
import { RequestDeadline } from "./request-deadline.ts";
import { deliveryOf, isConnectionLost } from "./connection-lost.ts";
import type { RequestOptions } from "./options.ts";

export interface Recoverable {
  readonly method: string;
  readonly params: Params;
  readonly options: RequestOptions;
  readonly timeoutMs: number;
  /** True if the request may be sent twice. Called only after a lost connection. */
  readonly isRepeatable: () => Promise<boolean>;
  readonly wire: (connection: ClientConnection) => WireOptions;
}

/**
 * Sends a request. After a lost connection it is repeated on a new one, if that is safe. Otherwise the error says
 * what was not retried.
 */
export async function recover(reconnector: Reconnector, request: Recoverable): Promise<Params> {
  const { method, params, options } = request;
  for (let attempt = 1; ; attempt++) {
    const connection = await currentConnection(reconnector, request);
    try {
      const result = await connection.request(method, params, { ...options, ...request.wire(connection) });
      reconnector.markWorking(connection);
      return result;
    } catch (error) {
      if (!(error instanceof BiplaneError) || !isConnectionLost(error)) throw error;
      reconnector.drop(connection);
      if (reconnector.isClosed) throw error;
      if (attempt >= maxAttempts) throw gaveUp(request, error, attempt);
      if (deliveryOf(error) !== "no" && !(await request.isRepeatable())) throw notRepeated(request, error);
    }
  }
}

const maxAttempts = 4;

async function currentConnection(
  reconnector: Reconnector,
  { method, options, timeoutMs }: Recoverable,
): Promise<ClientConnection> {
  if (reconnector.current) return reconnector.current;
  using deadline = new RequestDeadline(options.timeoutMs ?? timeoutMs, {
    what: `Reconnecting for ${method}`,
    signal: options.signal,
  });
  try {
    return await reconnector.get(deadline.signal);
  } catch (error) {
    if (error instanceof BiplaneError || !options.signal?.aborted) throw error;
    throw new BiplaneError("CANCELLED", `${method} was cancelled.`, { cause: error });
  }
}

function notRepeated(request: Recoverable, error: BiplaneError): BiplaneError {
  const consequence =
    deliveryOf(error) === "refused"
      ? "It was not executed, and was not retried in the new session."
      : "It may have been executed, and was not retried.";
  const message = `${error.message} ${subjectOf(request)} is not marked idempotent or read-only. ${consequence}`;
  return failure(request, message, error);
}

function gaveUp(request: Recoverable, error: BiplaneError, attempts: number): BiplaneError {
  return failure(request, `${error.message} ${subjectOf(request)} failed ${attempts} times.`, error);
}

function failure({ method, params }: Recoverable, message: string, error: BiplaneError): BiplaneError {
  const notRetried = { method, ...(typeof params["name"] === "string" && { name: params["name"] }) };
  return new BiplaneError("EXECUTION_ERROR", message, { cause: error, details: { ...error.details, notRetried } });
}

function subjectOf({ method, params }: Recoverable): string {
  return typeof params["name"] === "string" ? `${method} ${JSON.stringify(params["name"])}` : method;
}
