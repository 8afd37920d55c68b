import { BiplaneError } from "../errors.ts";

/** Whether the server got a request: never sent, rejected with its session, or unknown. */
export type Delivery = "no" | "refused" | "unknown";

/** The error for a connection that failed during a request. */
export function connectionLost(message: string, options: { delivered: Delivery; cause?: unknown }): BiplaneError {
  const details = { lost: true, delivered: options.delivered };
  return new BiplaneError("EXECUTION_ERROR", message, { cause: options.cause, details });
}

export function isConnectionLost(error: unknown): boolean {
  return error instanceof BiplaneError && error.details?.["lost"] === true;
}

export function deliveryOf(error: BiplaneError): Delivery {
  return error.details?.["delivered"] as Delivery;
}
