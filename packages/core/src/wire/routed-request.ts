import type { IncomingMessage, ServerResponse } from "node:http";
import type { Principal } from "../tool/call.ts";

/** An HTTP request of a known caller, on its way to an endpoint of one server. */
export interface RoutedRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The path within the server. */
  readonly path: string;
  readonly principal: Principal;
  /** The address of the client. */
  readonly address: string;
}
