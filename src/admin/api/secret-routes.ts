import type { AuditSink } from "../../call/audit.ts";
import { personEntry } from "../audit/person-entry.ts";
import type { Secrets } from "../secrets/secrets.ts";
import { found, notFound, nothing } from "./answers.ts";
import { fieldsOf, pageFrom, pageOf, textIn } from "./input.ts";
import type { Routes } from "./router.ts";

/** Secrets go in here. What comes out is their names. */
export function secretRoutes(secrets: Secrets, audit: AuditSink | undefined): Routes {
  const scope = "secrets";
  return {
    "GET /api/secrets": {
      scope,
      run: ({ request }) => {
        const { page, next } = pageFrom(secrets.names(), ({ name }) => name, pageOf(request));
        return found({ secrets: page, next });
      },
    },
    "GET /api/secrets/:name": {
      scope,
      run: ({ parameters: { name = "" } }) => {
        const secret = secrets.names().find((each) => each.name === name);
        return secret ? found(secret) : notFound("There is no such secret");
      },
    },
    "PUT /api/secrets/:name": {
      scope,
      run: async ({ by, parameters: { name = "" }, request: { body } }) => {
        await secrets.set(name, textIn(fieldsOf(body, ["value"]).value, "value"));
        await audit?.record(personEntry("secrets/set", { name }, by));
        return nothing;
      },
    },
    "DELETE /api/secrets/:name": {
      scope,
      run: async ({ by, parameters: { name = "" } }) => {
        if (!(await secrets.delete(name))) return notFound("There is no such secret in the store");
        await audit?.record(personEntry("secrets/delete", { name }, by));
        return nothing;
      },
    },
  };
}
