import { routesOf } from "../http/routes.ts";
import type { ApiRoutes } from "../http/routes.ts";
import type { People } from "../../governance/people/people.ts";
import type { JsonObject, SecretSource } from "@biplane/core/internal";
import type { ResolvedConfig } from "../../config/resolve-config.ts";
import { settingsOperations } from "./settings-api.ts";
import type { SettingsBody } from "./settings-api.ts";
import { settingsEntries } from "./settings-entries.ts";
import { peopleRoutes } from "./people-routes.ts";

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
