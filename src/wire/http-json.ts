import type { IncomingMessage, ServerResponse } from "node:http";
import { BiplaneError, messageOf } from "../errors.ts";
import type { ErrorCode } from "../errors.ts";
import { readBody, sendJson } from "../transport/http.ts";
import { nestsTooDeep } from "../protocol/nesting.ts";

/** How each code is said in HTTP. */
export const statusOf: { readonly [Code in ErrorCode]: number } = {
  INVALID_DEFINITION: 500,
  UNAUTHORIZED: 401,
  TOOL_NOT_FOUND: 404,
  INVALID_INPUT: 400,
  POLICY_DENIED: 403,
  APPROVAL_PENDING: 202,
  APPROVAL_REJECTED: 403,
  RATE_LIMITED: 429,
  TIMEOUT: 504,
  EXECUTION_ERROR: 500,
  CANCELLED: 499,
  EPISODE_ENDED: 409,
  CAPACITY: 503,
  NOT_SUPPORTED: 501,
  INTERNAL: 500,
};

/** A JSON body as a value; an empty one is an empty object. Rejects with what is wrong. */
export function readJson(request: IncomingMessage, maxBytes: number): Promise<unknown> {
  return new Promise((resolve, reject) => {
    readBody(request, maxBytes, (text) => {
      if (text === undefined) reject(new BiplaneError("INVALID_INPUT", "The body is too large"));
      else if (text.trim() === "") resolve({});
      else if (nestsTooDeep(text)) reject(new BiplaneError("INVALID_INPUT", "The body nests too deep"));
      else resolve(parse(text));
    });
    const parse = (text: string): unknown => {
      try {
        return JSON.parse(text);
      } catch {
        return reject(new BiplaneError("INVALID_INPUT", "The body is not JSON"));
      }
    };
  });
}

/** Answers with what `make` gives, or with its error as small JSON. */
export async function answerWith(response: ServerResponse, make: () => unknown): Promise<void> {
  try {
    sendJson(response, 200, JSON.stringify((await make()) ?? null));
  } catch (error) {
    const code = error instanceof BiplaneError ? error.code : "INTERNAL";
    sendJson(response, statusOf[code], JSON.stringify({ error: messageOf(error), code }));
  }
}
