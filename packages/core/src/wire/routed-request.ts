import type { IncomingMessage, ServerResponse } from "node:http";
import type { HttpMessage, ResponseWriter } from "../transport/http-message.ts";
import type { Principal } from "../tool/call.ts";

/** An HTTP request of a known caller, on its way to an endpoint of one server. */
export interface RoutedRequest {
  readonly request: HttpMessage;
  readonly response: ResponseWriter;
  /** The path within the server. */
  readonly path: string;
  readonly principal: Principal;
  /** The address of the client. */
  readonly address: string;
}

/** One of `node:http`, which can be sent on to another process. */
export interface NodeRequest extends RoutedRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}
