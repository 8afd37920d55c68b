import { isAbsolute, relative } from "node:path";
import { closeObjects, isRecord, readRules, unknownName } from "@biplane/core/internal";
import type { JsonObject, DocumentCursor } from "@biplane/core/internal";
import { checkConfigValue } from "./check-value.ts";
import type { CheckContext } from "./check-value.ts";

/** Names that a config file may refer to. Omitted lists are not checked. */
export interface KnownNames {
  /** The options of each pack, as JSON Schema. */
  readonly packs?: Readonly<Record<string, JsonObject>>;
  /** Names of the gallery environments. */
  readonly environments?: readonly string[];
}

/** Checks what the schema cannot express. Returns the sections with the packs' options checked by their own schemas. */
export function checkSections(
  checked: Readonly<Record<string, unknown>>,
  place: DocumentCursor,
  context: CheckContext & { readonly known: KnownNames; readonly isWritten: (section: string) => boolean },
): Record<string, unknown> {
  const { known, isWritten } = context;
  if (Array.isArray(checked["policies"])) readRules(checked["policies"], place.at("policies"));
  else if (checked["policies"] === undefined && isWritten("policyDefault"))
    place
      .at("policyDefault")
      .fail("applies after policies, and there are none; write policies: [] if it applies to every call");
  for (const [index, token] of listOf(recordOf(checked["auth"])["tokens"]).entries())
    checkToken(token, place.at("auth").at("tokens").at(index));
  for (const [name, server] of Object.entries(recordOf(checked["mcpServers"]))) {
    const isOne = ["command", "url"].filter((key) => Object.hasOwn(recordOf(server), key)).length === 1;
    if (isRecord(server) && !isOne) place.at("mcpServers").at(name).fail("needs either a command or a url");
    checkOAuth(recordOf(server), place.at("mcpServers").at(name));
  }
  const key = recordOf(checked["secrets"])["key"];
  if (isRecord(key) && Object.keys(key).length === 0)
    place.at("secrets").at("key").fail("needs a file or an environmentVariable");
  const { audit, auditExports = audit, auditFolder } = recordOf(checked["keep"]);
  if (auditExports !== undefined && auditFolder === undefined && String(checked["store"]).startsWith("postgres"))
    place.at("keep").fail("lacks auditFolder: a Postgres store has no folder beside it for exported audit lines");
  checkNotifications(recordOf(checked["notifications"]), place.at("notifications"), recordOf(checked["packs"])["chat"]);
  const packs = Object.fromEntries(
    Object.entries(recordOf(checked["packs"])).map(([name, options]) => [
      name,
      checkPack(name, options, place.at("packs").at(name), { ...context, packs: known.packs }),
    ]),
  );
  checkAllowedNames(packs, place.at("packs"));
  return {
    ...checked,
    packs,
    environments: listOf(checked["environments"]).map((name, index) =>
      checkEnvironment(name, place.at("environments").at(index), context),
    ),
  };
}

/** A program authenticates in one way, and only where there is a URL. */
function checkOAuth({ url, oauth }: Readonly<Record<string, unknown>>, place: DocumentCursor): void {
  if (!isRecord(oauth)) return;
  const { clientSecret, privateKey, workloadIdentity, idJag } = oauth;
  const at = place.at("oauth");
  if (url === undefined) at.fail("needs a url; a program that is started gets its credentials in env");
  if (clientSecret !== undefined && privateKey !== undefined) at.fail("needs either clientSecret or privateKey");
  if (workloadIdentity !== undefined && idJag !== undefined) at.fail("needs either workloadIdentity or idJag");
  if (clientSecret === undefined && privateKey === undefined && workloadIdentity === undefined)
    at.fail("needs clientSecret, privateKey or workloadIdentity");
}

/** Names are unique, and a chat is one that the chat pack may send to. Plain http is for hosts that are allowed by name. */
function checkNotifications(
  { webhooks, chat, allow }: Readonly<Record<string, unknown>>,
  place: DocumentCursor,
  pack: unknown,
): void {
  const known = new Set<unknown>();
  for (const [list, targets] of Object.entries({ webhooks, chat })) {
    for (const [index, target] of listOf(targets).entries()) {
      const at = place.at(list).at(index);
      const { name, url, provider, target: chatTarget } = recordOf(target);
      if (known.has(name)) at.at("name").fail(`is ${JSON.stringify(name)}, the name of another target`);
      known.add(name);
      if (typeof url === "string" && !isSafeUrl(url, listOf(allow)))
        at.at("url").fail("must start with https://, or name a host of notifications.allow");
      if (typeof provider !== "string") continue;
      const settings = recordOf(pack)[provider];
      if (!isRecord(settings)) at.at("provider").fail(`needs packs.chat.${provider}, with the token of the bot`);
      else if (!listOf(settings["targets"]).some((each) => each === "*" || each === chatTarget))
        at.at("target").fail(`must be in packs.chat.${provider}.targets`);
    }
  }
}

function isSafeUrl(url: string, allow: readonly unknown[]): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  return protocol === "https:" || allow.includes(hostname.replace(/^\[(.*)\]$/, "$1"));
}

function checkToken(token: unknown, place: DocumentCursor): void {
  if (!isRecord(token)) return;
  const { hash, token: itself, expiresAt } = token;
  if ((hash === undefined) === (itself === undefined)) place.fail("needs either a token or a hash");
  if (typeof expiresAt === "string" && Number.isNaN(Date.parse(expiresAt))) place.at("expiresAt").fail("is not a time");
}

function checkEnvironment(
  name: unknown,
  place: DocumentCursor,
  { known, resolvePath }: CheckContext & { known: KnownNames },
): unknown {
  if (typeof name !== "string") return name;
  if (/^[./]/.test(name)) return resolvePath(place.path, name);
  if (known.environments && !known.environments.includes(name))
    place.fail(`is ${unknownEnvironment(name, known.environments)}`);
  return name;
}

function unknownEnvironment(name: string, known: readonly string[]): string {
  return `${JSON.stringify(name)}, which ${unknownName(name, known, "in the gallery")}; a module begins with ./`;
}

function checkPack(
  name: string,
  options: unknown,
  place: DocumentCursor,
  context: CheckContext & { readonly packs: KnownNames["packs"] },
): unknown {
  const { packs } = context;
  if (!packs || !isRecord(options)) return options;
  const written = Object.hasOwn(packs, name) ? packs[name] : undefined;
  if (!written) {
    place.fail(unknownName(name, Object.keys(packs), "a known pack"), "key");
    return options;
  }
  return checkConfigValue(options, closeObjects(written), place, context);
}

/** A script that is allowed by its name alone must not be in a folder that another pack lets agents write to. */
function checkAllowedNames({ script, ...others }: Readonly<Record<string, unknown>>, place: DocumentCursor): void {
  const { root, allowlist } = recordOf(script);
  if (typeof root !== "string" || !listOf(allowlist).some((entry) => typeof entry === "string")) return;
  for (const [name, options] of Object.entries(others)) {
    const { root: folder, roots } = recordOf(options);
    if (![folder, ...listOf(roots)].some((each) => typeof each === "string" && isInside(root, each))) continue;
    const why = `has a name without a hash, but the ${name} pack can change these scripts`;
    place.at("script").at("allowlist").fail(`${why}; write { name, sha256 }, or keep the scripts in another folder`);
  }
}

function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === "" || !(way.startsWith("..") || isAbsolute(way));
}

function recordOf(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
