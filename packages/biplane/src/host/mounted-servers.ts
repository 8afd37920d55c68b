import { readFile } from "node:fs/promises";
import { BiplaneError } from "@biplane/core";
import { idJag, workloadIdentity } from "@biplane/core/client";
import type { OAuthClientOptions, ServerEntry } from "@biplane/core/client";
import { messageOf } from "@biplane/core/internal";
import type { Config } from "../config/config-schema.ts";

type WrittenServer = Config["mcpServers"][string];
type WrittenOAuth = NonNullable<WrittenServer["oauth"]>;

/** The servers that a config mounts, with the way in which each gets its tokens. */
export function mountedServers(written: Config["mcpServers"]): Record<string, ServerEntry> {
  return Object.fromEntries(
    Object.entries(written).map(([name, { oauth, ...entry }]) => [
      name,
      { ...entry, ...(oauth && { oauth: oauthOf(oauth) }) },
    ]),
  );
}

/** Nobody is there to sign in, so the grant is one for programs. */
function oauthOf({ workloadIdentity: workload, idJag: company, ...shared }: WrittenOAuth): OAuthClientOptions {
  if (workload) return { ...shared, grant: "jwt_bearer", assertion: workloadIdentity(workload) };
  if (!company) return { ...shared, grant: "client_credentials" };
  const { idTokenFile, ...provider } = company;
  return { ...shared, grant: "jwt_bearer", assertion: idJag({ ...provider, idToken: () => readToken(idTokenFile) }) };
}

/** Read for every exchange, because ID tokens expire. */
async function readToken(file: string): Promise<string> {
  try {
    return (await readFile(file, "utf8")).trim();
  } catch (error) {
    throw new BiplaneError("UNAUTHORIZED", `The ID token in ${file} cannot be read: ${messageOf(error)}`, {
      cause: error,
    });
  }
}
