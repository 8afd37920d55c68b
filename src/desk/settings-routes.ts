import { found } from "../admin/api/answers.ts";
import type { Routes } from "../admin/api/router.ts";
import type { People } from "../admin/people/people.ts";
import type { SecretSource } from "../call/redaction.ts";
import type { ResolvedConfig } from "../config/resolve-config.ts";
import type { JsonObject } from "../tool/schema.ts";
import type { Settings } from "./contract.ts";
import { settingsEntries } from "./settings-entries.ts";
import { peopleRoutes } from "./settings-people.ts";

export interface SettingsRouteParts {
  readonly people: People;
  /** Left out where no config was loaded: then there are no entries. */
  readonly config?: ResolvedConfig | undefined;
  /** The options of each pack, as JSON Schema. */
  readonly packs?: Readonly<Record<string, JsonObject>>;
  /** What is known to be a secret is shown nowhere, whatever key it stands under. */
  readonly secrets?: SecretSource | undefined;
}

/** What holds here, and who may log in. */
export function settingsRoutes(parts: SettingsRouteParts): Routes {
  const { people, config, packs, secrets } = parts;
  return {
    "GET /api/settings": {
      scope: "settings",
      run: async () => {
        const settings: Settings = {
          file: config?.source.file ?? null,
          entries: config ? settingsEntries(config, packs) : [],
          people: (await people.list({ limit: mostPeople })).map(({ name, scopes }) => ({ name, scopes })),
        };
        return found(secrets ? secrets.redactor().value(settings) : settings);
      },
    },
    ...peopleRoutes(people),
  };
}

/** Whoever has more of them pages through `/api/people`. */
const mostPeople = 1000;
