import { BiplaneError } from "@biplane/core";
import type { Principal } from "@biplane/core";
import type { People } from "../../governance/people/people.ts";
import { normalizeName } from "../../governance/people/person.ts";
import { notFound, routesOf } from "../http/routes.ts";
import type { ApiRoutes } from "../http/routes.ts";
import { hasScope } from "../openapi/scopes.ts";
import { peopleOperations } from "./settings-api.ts";

/**
 * Lists, adds and removes people. A person cannot grant scopes they lack, remove a person who has more, or remove
 * themselves.
 */
export function peopleRoutes(people: People): ApiRoutes {
  return routesOf(peopleOperations, {
    "GET /api/people": async ({ query }) => {
      const page = await people.list(query);
      return { people: page, next: page.length < query.limit ? null : (page.at(-1)?.name ?? null) };
    },
    "POST /api/people": async ({ by, body }) => {
      requireScopes(by, body.scopes, "grant");
      return people.add(body, by);
    },
    "DELETE /api/people/:name": async ({ by, parameters: { name } }) => {
      const person = await people.find(name);
      if (!person) return notFound("There is no person with that name.");
      if (person.name === normalizeName(by.id))
        throw new BiplaneError("FORBIDDEN", "You cannot remove yourself. Another person must do it.");
      requireScopes(by, person.scopes, "remove a person with");
      if (!(await people.remove(person.name, by))) return notFound("The person no longer exists.");
    },
  });
}

function requireScopes(by: Principal, scopes: readonly string[], action: string): void {
  const lacking = scopes.find((scope) => !hasScope(by, scope));
  if (lacking === undefined) return;
  throw new BiplaneError("FORBIDDEN", `${by.id} cannot ${action} the scope ${lacking} without having it.`);
}
