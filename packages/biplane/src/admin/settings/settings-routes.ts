import { requireLogin } from "../http/require-login.ts";
import { mustExist, routesOf } from "../http/routes.ts";
import type { ApiRoutes } from "../http/routes.ts";
import type { People } from "../../governance/people/people.ts";
import type { PublishedRules, PublishedVersion } from "../../governance/policies/published-rules.ts";
import type { JsonObject, SecretSource } from "@biplane/core/internal";
import type { ResolvedConfig } from "../../config/resolve-config.ts";
import { settingsOperations, peopleOperations } from "./settings-api.ts";
import type { SettingsBody } from "./settings-api.ts";
import { settingsEntries } from "./settings-entries.ts";
import type { InForce } from "./settings-entries.ts";
import { BiplaneError } from "@biplane/core";
import type { Principal } from "@biplane/core";
import type { Access } from "../../governance/people/invitations.ts";
import { roles } from "../../governance/people/roles.ts";
import type { Role } from "../../governance/people/roles.ts";
import { tokenRoutes } from "./token-routes.ts";
import type { TokenRouteParts } from "./token-routes.ts";
import { normalizeName } from "../../governance/people/person.ts";
import { hasScope } from "../openapi/scopes.ts";

export interface SettingsRouteParts {
  readonly people: People;
  /** Undefined if no config was loaded; then there are no entries. */
  readonly config?: ResolvedConfig | undefined;
  /** Options of each pack, as JSON Schema. */
  readonly packs?: Readonly<Record<string, JsonObject>>;
  /** What is used where the config leaves it open. */
  readonly inForce?: (() => InForce) | undefined;
  /** Rules in the store. */
  readonly published?: Pick<PublishedRules, "current"> | undefined;
  /** Known secrets are redacted everywhere. */
  readonly secrets?: SecretSource | undefined;
  /** Tokens of agents and trainers. */
  readonly tokens?: TokenRouteParts | undefined;
}

/** The effective settings and the people. */
export function settingsRoutes(parts: SettingsRouteParts): ApiRoutes {
  const { people, config, packs, inForce, published, secrets, tokens } = parts;
  return {
    ...routesOf(settingsOperations, {
      "GET /api/settings": async () => {
        const settings: SettingsBody = {
          file: config?.source.file ?? null,
          entries: [
            ...(config ? settingsEntries(config, { packs, inForce: inForce?.() }) : []),
            ...publishedEntries(await published?.current()),
          ],
          people: (await people.list({ limit: maxPeople })).map(({ name, scopes }) => ({ name, scopes })),
        };
        return secrets ? secrets.redactor().value(settings) : settings;
      },
    }),
    ...peopleRoutes(people),
    ...(tokens && tokenRoutes(tokens)),
  };
}

/** The rules in the store, which restrict what the others allow. */
function publishedEntries(current: PublishedVersion | undefined): SettingsBody["entries"] {
  if (!current) return [];
  const { version, rules } = current;
  return [
    {
      key: "policies.published",
      value: `${rules.length} rules, version ${version}`,
      isDefault: false,
      origin: { kind: "store", name: "published rules" },
    },
  ];
}

/** `/api/people` has pages for more. */
const maxPeople = 1000;

/**
 * Lists, invites, changes and removes people. A person cannot grant scopes they lack, change or remove a person who has
 * more, or change or remove themselves.
 */
function peopleRoutes(people: People): ApiRoutes {
  return routesOf(peopleOperations, {
    "GET /api/people": async ({ query }) => {
      const page = await people.list(query);
      return { people: page, next: page.length < query.limit ? null : (page.at(-1)?.name ?? null) };
    },
    "POST /api/people": async ({ by, session, body }) => {
      requireLogin(session, "add people");
      const access = accessOf(body);
      requireScopes(by, scopesOf(access), "grant");
      const { name, passphrase, email } = body;
      return people.add({ name, passphrase, email, ...access }, by);
    },
    "PUT /api/people/:name": async ({ by, session, parameters: { name }, body }) => {
      requireLogin(session, "change access");
      const access = accessOf(body);
      const person = mustExist(await people.find(name), noPerson);
      if (person.name === normalizeName(by.id))
        throw new BiplaneError("FORBIDDEN", "You cannot change your own access. Another person must do it.");
      if (person.provider !== null)
        throw new BiplaneError(
          "INVALID_INPUT",
          `The role of ${person.name} comes from ${person.provider}. Change it there, or in signIn.oidc.roles of the config.`,
        );
      requireScopes(by, person.scopes, "change a person with");
      requireScopes(by, scopesOf(access), "grant");
      return people.setAccess(person.name, access, by);
    },
    "GET /api/invitations": async () => ({ invitations: await people.invitations() }),
    "POST /api/invitations": async ({ by, session, body }) => {
      requireLogin(session, "invite people");
      const access = accessOf(body);
      requireScopes(by, scopesOf(access), "grant");
      return people.invite(by, { ...access, days: body.days, note: body.note });
    },
    "DELETE /api/invitations/:id": async ({ by, parameters: { id } }) => {
      const isRevoked = await people.revokeInvitation(id, by);
      mustExist(isRevoked, "There is no such invitation. It may have been used already.");
    },
    "DELETE /api/people/:name": async ({ by, parameters: { name } }) => {
      const person = mustExist(await people.find(name), noPerson);
      if (person.name === normalizeName(by.id))
        throw new BiplaneError("FORBIDDEN", "You cannot remove yourself. Another person must do it.");
      requireScopes(by, person.scopes, "remove a person with");
      mustExist(await people.remove(person.name, by), "The person no longer exists.");
    },
  });
}

const noPerson = "There is no person with that name.";

function accessOf(body: { readonly role?: Role; readonly scopes?: readonly string[] }): Access {
  if (body.role !== undefined && body.scopes === undefined) return { role: body.role };
  if (body.role === undefined && body.scopes !== undefined) return { scopes: body.scopes };
  throw new BiplaneError("INVALID_INPUT", "Pass either role or scopes.");
}

function scopesOf({ role, scopes = [] }: Access): readonly string[] {
  return role ? roles[role].scopes : scopes;
}

function requireScopes(by: Principal, scopes: readonly string[], action: string): void {
  const lacking = scopes.find((scope) => !hasScope(by, scope));
  if (lacking === undefined) return;
  throw new BiplaneError("FORBIDDEN", `${by.id} cannot ${action} the scope ${lacking} without having it.`);
}
