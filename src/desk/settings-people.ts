import { found, made, notFound, nothing } from "../admin/api/answers.ts";
import { fieldsOf, pageOf, textIn } from "../admin/api/input.ts";
import type { Routes } from "../admin/api/router.ts";
import type { People } from "../admin/people/people.ts";
import { plainName } from "../admin/people/person.ts";
import { BiplaneError } from "../errors.ts";
import type { Principal } from "../tool/call.ts";
import { scopes as known } from "./openapi/scopes.ts";

/** Who may log in. Nobody gives more than he has, takes from whoever has more, or shuts himself out. */
export function peopleRoutes(people: People): Routes {
  const scope = "people";
  return {
    "GET /api/people": {
      scope,
      run: async ({ request }) => {
        const { after, limit } = pageOf(request);
        const page = await people.list({ limit, ...(after !== undefined && { after }) });
        return found({ people: page, next: page.length < limit ? null : (page.at(-1)?.name ?? null) });
      },
    },
    "POST /api/people": {
      scope,
      run: async ({ by, request: { body } }) => {
        const { name, passphrase, scopes } = fieldsOf(body, ["name", "passphrase", "scopes"]);
        const given = scopesIn(scopes);
        mustHold(by, given, "give");
        const person = { name: textIn(name, "name"), passphrase: textIn(passphrase, "passphrase"), scopes: given };
        return made(await people.add(person, by));
      },
    },
    "DELETE /api/people/:name": {
      scope,
      run: async ({ by, parameters: { name = "" } }) => {
        const person = await people.find(name);
        if (!person) return notFound("There is nobody of that name");
        if (person.name === plainName(by.id))
          throw new BiplaneError("POLICY_DENIED", "Nobody shuts himself out: somebody else must do it");
        mustHold(by, person.scopes, "take from whoever has");
        return (await people.remove(person.name, by)) ? nothing : notFound("There is nobody of that name any more");
      },
    },
  };
}

function scopesIn(scopes: unknown): readonly string[] {
  const isList = Array.isArray(scopes) && scopes.every((each) => typeof each === "string");
  const words = ["*", ...Object.keys(known)];
  if (isList && scopes.every((each) => words.includes(each)) && new Set(scopes).size === scopes.length) return scopes;
  throw new BiplaneError("INVALID_INPUT", `scopes must be a list of some of ${words.join(", ")}`);
}

function mustHold(by: Principal, scopes: readonly string[], what: string): void {
  const lacking = by.scopes.includes("*") ? undefined : scopes.find((scope) => !by.scopes.includes(scope));
  if (lacking === undefined) return;
  throw new BiplaneError("POLICY_DENIED", `${by.id} may not ${what} the scope ${lacking} without having it`);
}
