import type { Config } from "../../config/config-schema.ts";
import type { LoadOptions } from "../../config/load-config.ts";
import { weakSecrets } from "../../host/weak-secrets.ts";
import { existingState } from "../existing-state.ts";
import { note } from "./finding.ts";
import type { Finding } from "./finding.ts";

/** Finds secrets and tokens that can be guessed. */
export async function checkSecrets(options: LoadOptions, config: Config): Promise<Finding[]> {
  // If the store or its key cannot be read, the check of the store says so.
  await using state = await existingState(options).catch(() => undefined);
  if (!state) return [];
  return weakSecrets(state.secrets, config).map((found) =>
    note("secrets", found, "replace it where it comes from, then run biplane secrets set or biplane token new"),
  );
}
