import type { DoorAnswer, DoorRequest } from "../../server/doors.ts";
import type { Principal } from "../../tool/call.ts";
import { notFound, problem } from "./answers.ts";

/** One thing the API can do. */
export interface Route {
  /** What a person must have for it. `person`: only credentials. `anyone`: not even those. */
  readonly scope: string;
  run(visit: Visit): DoorAnswer | Promise<DoorAnswer>;
}

/** A request at its route. */
export interface Visit {
  readonly request: DoorRequest;
  readonly parameters: Readonly<Record<string, string>>;
  /** Who makes it; nobody, on a route for anyone. */
  readonly by: Principal;
  /** The session it belongs to, where it came with a cookie. */
  readonly session: string | undefined;
  /** Asks again who makes it, for what stays open: undefined once the credentials no longer hold. Asking is no use of them. */
  readonly stillBy: () => Promise<Principal | undefined>;
}

/** Routes by `METHOD /path/:parameter`. */
export type Routes = Readonly<Record<string, Route>>;

export interface Match {
  readonly route: Route;
  readonly parameters: Readonly<Record<string, string>>;
}

/** Finds routes. Where only the method is wrong, it says which would be right. */
export function router(routes: Routes): (method: string, path: string) => Match | DoorAnswer {
  const table = Object.entries(routes).map(([key, route]) => {
    const [method = "", path = ""] = key.split(" ");
    return { method, segments: path.split("/"), route };
  });
  return (method, path) => {
    const given = path.split("/");
    const fitting = table.flatMap((entry) => {
      const parameters = match(entry.segments, given);
      return parameters ? [{ ...entry, parameters }] : [];
    });
    const there = fitting.find((entry) => entry.method === method);
    if (there) return there;
    if (fitting.length === 0) return notFound(`There is no ${path.slice(0, 200)} here`);
    const allow = fitting.map((entry) => entry.method).join(", ");
    return problem(405, "NOT_SUPPORTED", `${path.slice(0, 200)} takes ${allow}`, { allow });
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
      const value = decoded(text);
      if (value === undefined || value === "") return undefined;
      parameters[segment.slice(1)] = value;
    }
  }
  return parameters;
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
