import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { readKey } from "../governance/secrets/key.ts";
import type { KeySource } from "../governance/secrets/key.ts";
import { openSecrets } from "../governance/secrets/secrets.ts";
import type { Secrets } from "../governance/secrets/secrets.ts";
import type { Config } from "../config/config-schema.ts";
import { loadConfig } from "../config/load-config.ts";
import type { LoadOptions } from "../config/load-config.ts";
import { BiplaneError } from "@biplane/core";
import { checkSharedKey, derivedKey } from "./shared-key.ts";
import { isPostgres, openStore } from "../store/sql-store.ts";
import type { SqlStore } from "../store/sql-store.ts";

/** The store and the secrets that a config names. */
export interface HostState extends AsyncDisposable {
  readonly config: Pick<Config, "store" | "secrets">;
  readonly store: SqlStore;
  readonly secrets: Secrets;
  /** Seals what MCP clients send back. */
  readonly stateKey: string;
  /** Signs what servers on the same store send each other. */
  readonly fleetKey: string;
  /** Signs the links that answer a waiting call. */
  readonly linkKey: string;
}

/** Opens the configured store (default: in memory) and its secrets, which the rest of the config may refer to. */
export async function openHostState(options: LoadOptions): Promise<HostState> {
  const { config } = await loadConfig({ ...options, only: ["store", "secrets"] });
  const store = await openStore(config.store ?? ":memory:");
  const environment = { ...process.env, ...asVariables(config.secrets?.values ?? {}) };
  try {
    const key = await keyFor(config, store);
    await checkSharedKey(store, key);
    const secrets = await openSecrets({ store, key, environment });
    const stateKey = derivedKey(key, "request state");
    const fleetKey = derivedKey(key, "requests between servers");
    const linkKey = derivedKey(key, "answer links");
    return { config, store, secrets, stateKey, fleetKey, linkKey, [Symbol.asyncDispose]: () => store.close() };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Like `openHostState`, but requires a store on disk. For commands that read or change stored data. */
export async function openPersistentState(options: LoadOptions): Promise<HostState> {
  const state = await openHostState(options);
  if (state.config.store !== undefined) return state;
  await state.store.close();
  throw needsStore();
}

export function needsStore(): BiplaneError {
  return new BiplaneError(
    "INVALID_DEFINITION",
    "This command needs a store. Pass --store <file or URL>, set BIPLANE_STORE, or add store to biplane.yaml.",
  );
}

/** The configured key (default: a file next to the store, or a random key for a store in memory). */
async function keyFor(config: HostState["config"], opened: SqlStore): Promise<Uint8Array> {
  const source = keySource(config);
  if (!source) return randomBytes(32);
  const { file } = source;
  const isGiven = config.secrets?.key !== undefined || process.env[keyVariable] !== undefined;
  if (!isGiven && file !== undefined && !existsSync(file) && (await hasSecrets(opened)))
    throw new BiplaneError(
      "INVALID_DEFINITION",
      `The store ${config.store} has secrets, but their key is missing. Copy ${file} from where the store was made, or set ${keyVariable}.`,
    );
  return readKey(source);
}

/** Where the key of the stored secrets is read from. Undefined if it is random. */
export function keySource({ store, secrets }: Pick<Config, "store" | "secrets">): KeySource | undefined {
  if (secrets?.key) return secrets.key;
  if (store === undefined || store === ":memory:") return undefined;
  // Every process on a database needs the same key, so none is made up.
  return { environmentVariable: keyVariable, ...(!isPostgres(store) && { file: `${store}.key` }) };
}

async function hasSecrets({ db }: SqlStore): Promise<boolean> {
  return (await db.selectFrom("secrets").select("name").limit(1).execute()).length > 0;
}

const keyVariable = "BIPLANE_SECRETS_KEY";

function asVariables(values: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [`BIPLANE_SECRET_${name}`, value]));
}
