import { routesOf, notFound } from "../http/routes.ts";
import type { ApiRoutes } from "../http/routes.ts";
import type { People } from "../../governance/people/people.ts";
import type { JsonObject, SecretSource } from "@biplane/core/internal";
import type { ResolvedConfig } from "../../config/resolve-config.ts";
import { settingsOperations, peopleOperations } from "./settings-api.ts";
import type { SettingsBody } from "./settings-api.ts";
import { settingsEntries } from "./settings-entries.ts";
import { BiplaneError } from "@biplane/core";
import type { Principal } from "@biplane/core";
import { normalizeName } from "../../governance/people/person.ts";
import { hasScope } from "../openapi/scopes.ts";

export interface SettingsRouteParts {
  readonly people: People;
  /** Undefined if no config was loaded; then there are no entries. */
  readonly config?: ResolvedConfig | undefined;
  /** Options of each pack, as JSON Schema. */
  readonly packs?: Readonly<Record<string, JsonObject>>;
  /** Known secrets are redacted everywhere. */
  readonly secrets?: SecretSource | undefined;
}

/** The effective settings and the people. */
export function settingsRoutes(parts: SettingsRouteParts): ApiRoutes {
  const { people, config, packs, secrets } = parts;
  return {
    ...routesOf(settingsOperations, {
      "GET /api/settings": async () => {
        const settings: SettingsBody = {
          file: config?.source.file ?? null,
          entries: config ? settingsEntries(config, packs) : [],
          people: (await people.list({ limit: maxPeople })).map(({ name, scopes }) => ({ name, scopes })),
        };
        return secrets ? secrets.redactor().value(settings) : settings;
      },
    }),
    ...peopleRoutes(people),
  };
}

/** `/api/people` has pages for more. */
const maxPeople = 1000;

/**
 * Lists, adds and removes people. A person cannot grant scopes they lack, remove a person who has more, or remove
 * themselves.
 */
function peopleRoutes(people: People): ApiRoutes {
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
