import type { AuditSink } from "@biplane/core/internal";
import { personEntry } from "../../governance/audit/person-entry.ts";
import type { Secrets } from "../../governance/secrets/secrets.ts";
import { paginate } from "../http/input.ts";
import { mustExist, routesOf } from "../http/routes.ts";
import type { ApiRoutes } from "../http/routes.ts";
import { secretOperations } from "./secret-api.ts";

/** Sets and deletes secrets. Only names are ever returned. */
export function secretRoutes(secrets: Secrets, audit: AuditSink | undefined): ApiRoutes {
  return routesOf(secretOperations, {
    "GET /api/secrets": ({ query }) => {
      const { page, next } = paginate(secrets.names(), ({ name }) => name, query);
      return { secrets: page, next };
    },
    "GET /api/secrets/:name": ({ parameters: { name } }) =>
      mustExist(
        secrets.names().find((each) => each.name === name),
        "There is no such secret.",
      ),
    "PUT /api/secrets/:name": async ({ by, parameters: { name }, body: { value, rotateDays } }) => {
      await secrets.set(name, value, { rotateDays });
      await audit?.record(personEntry("secrets/set", { input: { name }, by }));
    },
    "DELETE /api/secrets/:name": async ({ by, parameters: { name } }) => {
      mustExist(await secrets.delete(name), "There is no such secret in the store.");
      await audit?.record(personEntry("secrets/delete", { input: { name }, by }));
    },
  });
}
