import { randomBytes } from "node:crypto";
import { readKey } from "../admin/secrets/key.ts";
import { openSecrets } from "../admin/secrets/secrets.ts";
import type { Secrets } from "../admin/secrets/secrets.ts";
import type { Config } from "../config/config-schema.ts";
import { loadConfig } from "../config/load-config.ts";
import type { LoadOptions } from "../config/load-config.ts";
import { BiplaneError } from "../errors.ts";
import { sqliteStore } from "../store/sqlite.ts";
import type { Store } from "../store/store.ts";

/** What a config file says is kept: the store, and the secrets in it. */
export interface State extends AsyncDisposable {
  readonly config: Pick<Config, "store" | "secrets">;
  readonly store: Store;
  readonly secrets: Secrets;
}

/** Opens the store that the config names, or one in memory. Secrets come first: the rest of the file may refer to them. */
export async function openState(options: LoadOptions): Promise<State> {
  const { config } = await loadConfig({ ...options, only: ["store", "secrets"] });
  const store = sqliteStore(config.store ?? ":memory:");
  const environment = { ...process.env, ...asVariables(config.secrets?.values ?? {}) };
  const secrets = await openSecrets({ store, key: await keyFor(config), environment });
  return { config, store, secrets, [Symbol.asyncDispose]: () => store.close() };
}

/** The same for commands that make no sense without a file. */
export async function openKeptState(options: LoadOptions): Promise<State> {
  const state = await openState(options);
  if (state.config.store !== undefined) return state;
  await state.store.close();
  throw new BiplaneError(
    "INVALID_DEFINITION",
    "nothing is kept here: say where with --store, BIPLANE_STORE, or store in biplane.yaml",
  );
}

/** Beside the store, unless the config says otherwise; for a store in memory, one that is forgotten with it. */
async function keyFor({ store, secrets }: Pick<Config, "store" | "secrets">): Promise<Uint8Array> {
  if (secrets?.key) return readKey(secrets.key);
  return store === undefined || store === ":memory:"
    ? randomBytes(32)
    : readKey({ file: `${store}.key`, environmentVariable: keyVariable, environment: process.env });
}

const keyVariable = "BIPLANE_SECRETS_KEY";

function asVariables(values: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [`BIPLANE_SECRET_${name}`, value]));
}
