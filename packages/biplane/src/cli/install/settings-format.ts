import { isDeepStrictEqual } from "node:util";
import { BiplaneError } from "@biplane/core";
import { isRecord } from "@biplane/core/internal";

/** A server as an entry of a host's settings. */
export type SettingsEntry = Readonly<Record<string, unknown>>;

/** The keys of the map of servers, then the name of a server. */
export type EntryPath = readonly [map: string, name: string];

/** Reads and changes one format of settings. All that is not changed keeps its bytes, comments included. */
export interface SettingsFormat {
  /** Throws if the text is broken. `details.offset` of the error is where. */
  parse(text: string): unknown;
  /** Adds or replaces an entry. */
  set(text: string, path: EntryPath, entry: SettingsEntry): string;
  /** Removes an entry that is there. */
  remove(text: string, path: EntryPath): string;
}

/** The entry at a path, or undefined. Throws if the settings, or their map of servers, are not a map. */
export function entryAt(settings: unknown, [map, name]: EntryPath): unknown {
  const servers = mapOf(mapOf(settings, "the file")[map], map);
  return Object.hasOwn(servers, name) ? servers[name] : undefined;
}

/** Changes one entry, or removes it if `entry` is undefined. Throws if anything else would change. */
export function changeEntry(
  text: string,
  path: EntryPath,
  { format, entry }: { readonly format: SettingsFormat; readonly entry: SettingsEntry | undefined },
): string {
  const before = format.parse(text);
  const after = entry ? format.set(text, path, entry) : format.remove(text, path);
  const [map, name] = path;
  const settings = mapOf(before, "the file");
  const { [name]: _, ...others } = mapOf(settings[map], map);
  const expected = { ...settings, [map]: entry ? { ...others, [name]: entry } : others };
  if (!isDeepStrictEqual(plain(parseChanged(after, format)), plain(expected)))
    throw new BiplaneError(
      "INVALID_DEFINITION",
      `writes ${map} in a way that cannot be changed without changing other settings. ${entry ? `Add ${name} to it by hand: ${JSON.stringify(entry)}` : `Remove ${name} by hand`}`,
    );
  return after;
}

function parseChanged(text: string, format: SettingsFormat): unknown {
  try {
    return format.parse(text);
  } catch {
    return undefined;
  }
}

/** Without prototypes and dates, which parsers make of their own. A map that is empty, null or missing is the same. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (_, inner: unknown) => (isEmptyMap(inner) ? undefined : inner)) ?? "null");
}

function isEmptyMap(value: unknown): boolean {
  return value === null || (isRecord(value) && Object.keys(value).length === 0);
}

function mapOf(value: unknown, name: string): Readonly<Record<string, unknown>> {
  if (value === undefined || value === null) return {};
  if (isRecord(value)) return value;
  throw new BiplaneError("INVALID_DEFINITION", `has something other than a map of settings in ${name}`);
}
