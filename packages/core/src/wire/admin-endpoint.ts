import type { IncomingMessage, ServerResponse } from "node:http";
import type { Redactor } from "../call/redact/redactor.ts";
import { BiplaneError } from "../errors.ts";
import type { AdminEndpoint } from "../server/endpoints.ts";
import { sendResponse } from "./send-response.ts";
import { errorResponse, readJson } from "./http-json.ts";

export interface AdminRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly path: string;
  readonly address: string;
  readonly origin: string;
  readonly report: (fault: unknown, where: string) => void;
  /** Removes the secrets of every served server. */
  readonly redactor: () => Redactor | undefined;
}

/** Serves the admin API over HTTP. */
export async function answerAdmin(admin: AdminEndpoint, options: AdminRequest): Promise<void> {
  const { request, response, path, address, origin, report, redactor } = options;
  const { method = "GET", headers, url = "" } = request;
  const query = new URLSearchParams(url.split("?")[1] ?? "");
  try {
    const body = await readJson(request, {
      maxBytes: adminBodyBytes,
      principal: { kind: "anonymous", id: address },
    });
    const answer = await admin.handle({ method, path, query, headers, address, origin, body });
    sendResponse(response, answer, redactor);
  } catch (error) {
    // The API turns its own errors into responses; only an unreadable body or a bug gets here.
    const isBadBody = error instanceof BiplaneError && (error.code === "INVALID_INPUT" || error.code === "CAPACITY");
    if (!isBadBody) report(error, "the admin API");
    const shown = isBadBody ? error : new BiplaneError("INTERNAL", "Internal error. See the server log.");
    sendResponse(response, errorResponse(shown), redactor);
  }
}

export const adminBodyBytes = 1024 * 1024;
