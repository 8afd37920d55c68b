import type { ServerEntry } from "@biplane/core/client";
import { minSecretLength } from "@biplane/core/internal";

/** Variables and headers whose values are secrets, by their names. */
const secretName = /token|secret|passw|credential|authorization|cookie|api[-_]?key|private[-_]?key|access[-_]?key/i;

/** The secrets that servers get from their config and their environment. A tool could repeat one in its result. */
export function secretValues(
  entries: readonly ServerEntry[],
  environment: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const all = [environment, ...entries.flatMap(({ env = {}, headers = {} }) => [env, headers])];
  const named = all.flatMap((values) => Object.entries(values)).filter(([name]) => secretName.test(name));
  return Object.fromEntries(
    named.flatMap(([name, value = ""]) => {
      const bare = value.replace(/^(bearer|basic)\s+/i, "");
      return bare.length >= minSecretLength ? [[name, bare] as const] : [];
    }),
  );
}
