import { decodeUri, errorResponse } from "@biplane/core/internal";
import type { EndpointResponse } from "@biplane/core/internal";
import { BiplaneError } from "@biplane/core";
import type { ApiRoute, ApiRoutes } from "./routes.ts";

export interface Match {
  readonly route: ApiRoute;
  readonly parameters: Readonly<Record<string, string>>;
}

/** Finds routes. If only the method is wrong, the response lists the allowed ones. */
export function router(routes: ApiRoutes): (method: string, path: string) => Match | EndpointResponse {
  const table = Object.entries(routes).map(([key, route]) => {
    const [method = "", path = ""] = key.split(" ");
    return { method, segments: path.split("/"), route };
  });
  return (method, path) => {
    const given = path.split("/");
    const matching = table.flatMap((entry) => {
      const parameters = match(entry.segments, given);
      return parameters ? [{ ...entry, parameters }] : [];
    });
    const exact = matching.find((entry) => entry.method === method);
    if (exact) return exact;
    if (matching.length === 0)
      return errorResponse(new BiplaneError("NOT_FOUND", `There is no route ${path.slice(0, 200)}.`));
    const allow = matching.map((entry) => entry.method).join(", ");
    const error = new BiplaneError("NOT_SUPPORTED", `${path.slice(0, 200)} only supports ${allow}.`);
    return { ...errorResponse(error), status: 405, headers: { allow } };
  };
}

function match(segments: readonly string[], given: readonly string[]): Record<string, string> | undefined {
  if (segments.length !== given.length) return undefined;
  const parameters: Record<string, string> = {};
  for (const [at, segment] of segments.entries()) {
    const text = given[at] ?? "";
    if (!segment.startsWith(":")) {
      if (segment !== text) return undefined;
    } else {
      const value = decodeUri(text);
      if (value === undefined || value === "") return undefined;
      parameters[segment.slice(1)] = value;
    }
  }
  return parameters;
}
