import type { Served } from "@biplane/core";
import type { InForce } from "../admin/settings/settings-entries.ts";
import { codeTurns } from "../code/code-shares.ts";
import type { ResolvedConfig } from "../config/resolve-config.ts";
import { disclosureOf } from "./disclosure.ts";
import { httpSettings } from "./http-settings.ts";
import { retentionOf } from "./retention.ts";
import { keySource } from "./state.ts";

export interface InForceOptions {
  readonly resolved: ResolvedConfig;
  readonly served: readonly Served[];
  /** Where the host listens. */
  readonly url: string | undefined;
  /** Where apps are shown, if they are. */
  readonly sandbox: string | undefined;
}

/** What the host uses where the config leaves it open. Each value comes from where the host itself takes it. */
export function settingsInForce({ resolved, served, url, sandbox }: InForceOptions): InForce {
  const { config } = resolved;
  const http = Object.entries(httpSettings(config)).map(([key, value]) => [`http.${key}`, value] as const);
  const disclosed = served.map((each) => disclosureOf(resolved, each)).find((each) => each !== undefined);
  const key = keySource(config);
  const { auditFolder } = retentionOf(config);
  return {
    ...(url !== undefined && { listen: url }),
    ...Object.fromEntries(http),
    ...(sandbox !== undefined && { "http.sandboxUrl": sandbox }),
    ...(config.code && { "code.workers": codeTurns.size }),
    ...(disclosed && config.disclose === false && { disclose: disclosed }),
    // Without rules, every call is allowed.
    ...(!config.policies && { policyDefault: "allow" }),
    ...(key?.file !== undefined && { "secrets.key.file": key.file }),
    ...(key?.environmentVariable !== undefined && { "secrets.key.environmentVariable": key.environmentVariable }),
    ...(config.store === undefined && { store: ":memory:" }),
    ...(typeof config.keep !== "string" && auditFolder !== undefined && { "keep.auditFolder": auditFolder }),
  };
}
