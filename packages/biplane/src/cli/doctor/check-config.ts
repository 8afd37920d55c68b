import { existsSync } from "node:fs";
import type { Config } from "../../config/config-schema.ts";
import { loadConfig } from "../../config/load-config.ts";
import type { LoadOptions } from "../../config/load-config.ts";
import { isLoopback, messageOf } from "@biplane/core/internal";
import type { Finding } from "./finding.ts";
import { note, ok, failure } from "./finding.ts";
import { knownNames } from "../../host/known-names.ts";

export interface ConfigCheck {
  /** Undefined if the config file is invalid. */
  readonly config: Config | undefined;
  readonly findings: readonly Finding[];
}

/** Checks that the config file is valid, and that the modules it names exist. */
export async function checkConfigFile(options: LoadOptions): Promise<ConfigCheck> {
  try {
    const { config, source } = await loadConfig({ ...options, known: await knownNames() });
    const title =
      source.file === undefined
        ? note("config", "no biplane.yaml; the defaults apply", "biplane init <folder>")
        : ok("config", `${source.file} is valid`);
    return { config, findings: [title, ...missingFiles(config), ...checkAccess(config)] };
  } catch (error) {
    return {
      config: undefined,
      findings: [failure("config", messageOf(error), "fix it, then run biplane config check")],
    };
  }
}

function missingFiles({ servers, environments }: Config): Finding[] {
  const files = [...servers, ...environments.filter((name) => /^[./]|^[A-Za-z]:[\\/]/.test(name))];
  return files
    .filter((file) => !existsSync(file))
    .map((file) =>
      failure("module", `the config serves ${file}, which does not exist`, "create it, or remove it from the config"),
    );
}

/** Finds settings that expose the server. */
function checkAccess({ listen, http, auth, mode, policies }: Config): Finding[] {
  const findings: Finding[] = [];
  const hasCredentials = (auth.tokens ?? []).length > 0 || auth.oauth !== undefined;
  const isOpen = listen !== "stdio" && !isLoopback(new URL(listen).hostname);
  if (isOpen && !hasCredentials && !auth.openTrainerEndpoints)
    findings.push(
      failure(
        "address",
        `${listen} is reachable from other machines without credentials; biplane serve will refuse to start`,
        "biplane token new --id <name>",
      ),
    );
  if (isOpen && auth.openTrainerEndpoints)
    findings.push(
      note(
        "trainers",
        `anyone who can reach ${listen} can train, and read rewards and states`,
        "remove openTrainerEndpoints, and: biplane token new --id <name> --kind trainer",
      ),
    );
  if (isOpen && http?.publicUrl === undefined)
    findings.push(
      note(
        "sign-in",
        "disabled, because the address is public and http.publicUrl is not set",
        "set http.publicUrl to the https:// address of your proxy",
      ),
    );
  if (http?.publicUrl?.startsWith("http://") && !isLoopback(new URL(http.publicUrl).hostname))
    findings.push(
      note(
        "public address",
        `${http.publicUrl} is not encrypted; passphrases and tokens can be intercepted`,
        "use a TLS proxy, and set http.publicUrl to its https:// address",
      ),
    );
  if (mode === "production" && policies === undefined)
    findings.push(
      note(
        "policies",
        "production mode needs a policy, in the config or in your code",
        "add policies to the config; see biplane help policy",
      ),
    );
  return findings;
}
