import type { ServeOptions } from "@biplane/core";
import { defaultMaxBytes, isLoopback } from "@biplane/core/internal";
import type { Config } from "../config/config-schema.ts";

type HttpSettings = NonNullable<Config["http"]>;

/** The `http` section with every default that the host serves with, so that the settings page shows what is used. */
export function httpSettings({ listen, http }: Pick<Config, "listen" | "http">): HttpSettings & HttpDefaults {
  return {
    maxBodyBytes: defaultMaxBytes,
    orsRewards: "total",
    fastLane: true,
    discoverable: listen !== "stdio" && isLoopback(new URL(listen).hostname),
    ...http,
  };
}

type HttpDefaults = Required<Pick<ServeOptions, "maxBodyBytes" | "orsRewards" | "fastLane" | "discoverable">>;
