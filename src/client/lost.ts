import { BiplaneError } from "../errors.ts";

/** What became of a request: never sent, refused along with its session, or nobody knows. */
export type Delivery = "no" | "refused" | "unknown";

/** The connection failed under a request. */
export function lost(message: string, options: { delivered: Delivery; cause?: unknown }): BiplaneError {
  const details = { lost: true, delivered: options.delivered };
  return new BiplaneError("EXECUTION_ERROR", message, { cause: options.cause, details });
}

export function isLost(error: unknown): boolean {
  return error instanceof BiplaneError && error.details?.["lost"] === true;
}

export function deliveryOf(error: BiplaneError): Delivery {
  return error.details?.["delivered"] as Delivery;
}
