import { userInfo } from "node:os";
import type { Principal } from "@biplane/core";
import { messageOf } from "@biplane/core/internal";
import { loadConfig } from "../config/load-config.ts";
import type { LoadOptions } from "../config/load-config.ts";
import { openAudit } from "../governance/audit/audit.ts";
import type { Audit } from "../governance/audit/audit.ts";
import { needsStore } from "../host/state.ts";
import type { SqlStore } from "../store/sql-store.ts";
import { file, option } from "./command/define.ts";

/** Options of every command that opens the store. */
export const storeArgs = {
  config: option("The config file (default: BIPLANE_CONFIG, or biplane.yaml)", { takes: file }),
  store: option("The SQLite file or Postgres URL (default: BIPLANE_STORE, or store in the config file)", {
    takes: file,
  }),
} as const;

export interface StoreArgs {
  readonly config?: string | undefined;
  readonly store?: string | undefined;
}

export function storeOptions({ config, store }: StoreArgs): LoadOptions {
  return { file: config, flags: { store } };
}

/** Where the store is. Throws if there is none. */
export async function storeLocation(args: StoreArgs): Promise<string> {
  const { config } = await loadConfig({ ...storeOptions(args), only: ["store"] });
  if (config.store !== undefined) return config.store;
  throw needsStore();
}

/** The audit log for what a command changes in the store. */
export function openCommandAudit(store: SqlStore): Audit {
  const onFault = (fault: unknown) =>
    process.stderr.write(`biplane: Writing the audit log failed: ${messageOf(fault)}\n`);
  return openAudit({ store, strict: true, onFault });
}

/** The user of this terminal. Has every scope, because the user can write the store's file anyway. */
export function localPerson(): Principal {
  return { kind: "person", id: userInfo().username, scopes: ["*"] };
}
