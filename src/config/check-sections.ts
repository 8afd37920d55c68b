import { unknownName } from "../call/rules/near-miss.ts";
import type { Place } from "../call/rules/problem.ts";
import { isRecord } from "../call/rules/read-list.ts";
import { readRules } from "../call/rules/rule.ts";
import { compileSchema } from "../tool/json-schema/compile.ts";
import type { JsonObject } from "../tool/schema.ts";
import { closeObjects } from "../tool/strict-keys.ts";
import { checkValue } from "./check-value.ts";
import type { CheckContext } from "./check-value.ts";

/** What is there to be named in a config file. What is left out is not checked. */
export interface Known {
  /** The options of each pack, as JSON Schema. */
  readonly packs?: Readonly<Record<string, JsonObject>>;
  /** The names of the gallery. */
  readonly environments?: readonly string[];
}

/** Checks what the shape alone does not say; gives the sections, with packs' options as their own schemas make them. */
export function checkSections(
  checked: Readonly<Record<string, unknown>>,
  place: Place,
  context: CheckContext & { readonly known: Known; readonly isWritten: (section: string) => boolean },
): Record<string, unknown> {
  const { known, isWritten } = context;
  if (Array.isArray(checked["policies"])) readRules(checked["policies"], place.at("policies"));
  else if (checked["policies"] === undefined && isWritten("policyDefault"))
    place.at("policyDefault").fail("has no policies to stand behind; write policies: [] if it holds for every call");
  for (const [index, token] of listOf(recordOf(checked["auth"])["tokens"]).entries())
    checkToken(token, place.at("auth").at("tokens").at(index));
  for (const [name, server] of Object.entries(recordOf(checked["mcpServers"]))) {
    const isOne = ["command", "url"].filter((key) => Object.hasOwn(recordOf(server), key)).length === 1;
    if (isRecord(server) && !isOne) place.at("mcpServers").at(name).fail("needs either a command or a url");
  }
  const key = recordOf(checked["secrets"])["key"];
  if (isRecord(key) && Object.keys(key).length === 0)
    place.at("secrets").at("key").fail("needs a file or an environmentVariable");
  return {
    ...checked,
    environments: listOf(checked["environments"]).map((name, index) =>
      checkEnvironment(name, place.at("environments").at(index), context),
    ),
    packs: Object.fromEntries(
      Object.entries(recordOf(checked["packs"])).map(([name, options]) => [
        name,
        checkPack(name, options, place.at("packs").at(name), { ...context, packs: known.packs }),
      ]),
    ),
  };
}

function checkToken(token: unknown, place: Place): void {
  if (!isRecord(token)) return;
  const { hash, token: itself, expiresAt } = token;
  if ((hash === undefined) === (itself === undefined)) place.fail("needs either a token or a hash");
  if (typeof expiresAt === "string" && Number.isNaN(Date.parse(expiresAt))) place.at("expiresAt").fail("is no time");
}

function checkEnvironment(
  name: unknown,
  place: Place,
  { known, resolvePath }: CheckContext & { known: Known },
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

/** First with all that our own check can say, then with every keyword of JSON Schema. */
function checkPack(
  name: string,
  options: unknown,
  place: Place,
  context: CheckContext & { readonly packs: Known["packs"] },
): unknown {
  const { packs } = context;
  if (!packs || !isRecord(options)) return options;
  const written = Object.hasOwn(packs, name) ? packs[name] : undefined;
  if (!written) {
    place.fail(unknownName(name, Object.keys(packs), "a known pack"), "key");
    return options;
  }
  const schema = closeObjects(written);
  let found = false;
  const watched = watching(place, () => (found = true));
  const checked = checkValue(options, schema, watched, context);
  const fault = found ? undefined : compileSchema(schema)(checked);
  if (fault) atPointer(place, fault.path).fail(fault.message);
  return checked;
}

function watching(place: Place, onFail: () => void): Place {
  return {
    path: place.path,
    at: (key) => watching(place.at(key), onFail),
    fail: (message, at) => {
      onFail();
      return place.fail(message, at);
    },
  };
}

function atPointer(place: Place, pointer: string): Place {
  const steps = pointer.split("/").slice(1);
  return steps.reduce((at, step) => {
    const name = step.replaceAll("~1", "/").replaceAll("~0", "~");
    return at.at(/^\d+$/.test(name) ? Number(name) : name);
  }, place);
}

function recordOf(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
