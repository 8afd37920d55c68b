import { existsSync } from "node:fs";
import type { Config } from "../../config/config-schema.ts";
import { loadConfig } from "../../config/load-config.ts";
import type { LoadOptions } from "../../config/load-config.ts";
import { messageOf } from "../../errors.ts";
import { isLoopback } from "../../transport/guard.ts";
import type { Finding } from "./finding.ts";
import { note, ok, problem } from "./finding.ts";
import { whatIsThere } from "../what-is-there.ts";

export interface Settings {
  /** Left out where the config file is wrong. */
  readonly config: Config | undefined;
  readonly findings: readonly Finding[];
}

/** The config file: whether it is there, in order, and names things that are there. */
export async function checkSettings(options: LoadOptions): Promise<Settings> {
  try {
    const { config, source } = await loadConfig({ ...options, known: await whatIsThere() });
    const title =
      source.file === undefined
        ? note("config", "there is no biplane.yaml here; everything is as usual", "biplane init <folder>")
        : ok("config", `${source.file} is in order`);
    return { config, findings: [title, ...missingFiles(config), ...checkDoors(config)] };
  } catch (error) {
    return {
      config: undefined,
      findings: [problem("config", messageOf(error), "mend it, then: biplane config check")],
    };
  }
}

function missingFiles({ servers, environments }: Config): Finding[] {
  const files = [...servers, ...environments.filter((name) => /^[./]|^[A-Za-z]:[\\/]/.test(name))];
  return files
    .filter((file) => !existsSync(file))
    .map((file) =>
      problem("module", `there is no ${file}, which the config serves`, "make it, or take it out of the config"),
    );
}

/** Who could come in, and should perhaps not. */
function checkDoors({ listen, http, auth, mode, policies }: Config): Finding[] {
  const findings: Finding[] = [];
  const hasCredentials = (auth.tokens ?? []).length > 0 || auth.oauth !== undefined;
  const isOpen = listen !== "stdio" && !isLoopback(new URL(listen).hostname);
  if (isOpen && !hasCredentials && !auth.openTrainerDoors)
    findings.push(
      problem(
        "address",
        `others can reach ${listen}, and there are no credentials: it will not start`,
        "biplane token new --id <name>",
      ),
    );
  if (isOpen && auth.openTrainerDoors)
    findings.push(
      note(
        "trainers",
        `whoever reaches ${listen} may train, see rewards and read states`,
        "take openTrainerDoors out, and: biplane token new --id <name> --kind trainer",
      ),
    );
  if (isOpen && http?.publicUrl === undefined)
    findings.push(
      note(
        "people",
        "nobody can log in over an address that others can reach",
        "set http.publicUrl to the https:// address of your proxy",
      ),
    );
  if (http?.publicUrl?.startsWith("http://") && !isLoopback(new URL(http.publicUrl).hostname))
    findings.push(
      note(
        "public address",
        `${http.publicUrl} is not encrypted: passphrases and tokens can be read on the way`,
        "put a proxy with TLS before it, and write https:// in http.publicUrl",
      ),
    );
  if (mode === "production" && policies === undefined)
    findings.push(
      note(
        "policies",
        "production needs a policy, here or in the code that is served",
        "add policies to the config; see biplane help policy",
      ),
    );
  return findings;
}
