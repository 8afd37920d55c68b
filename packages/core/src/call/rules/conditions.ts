import { routes } from "../../tool/call.ts";
import type { Principal } from "../../tool/call.ts";
import type { Mode } from "../policy.ts";
import { readArgument } from "./argument.ts";
import { readGlobs } from "./globs.ts";
import type { Matcher } from "./matcher.ts";
import { unknownName } from "../../tool/near-miss.ts";
import type { CallFacts } from "./pattern.ts";
import type { Path, DocumentCursor } from "./problem.ts";
import { orList, readNames } from "./read-list.ts";
import { showName, showValue } from "./show-value.ts";
import { readTimeWindow } from "./time-window.ts";
import { isRecord } from "../../is-record.ts";

/** One condition of a pattern. */
export interface Condition {
  readonly path: Path;
  readonly matches: (facts: CallFacts) => boolean;
  /** A sentence that says why the call does not match. */
  readonly why: (facts: CallFacts) => string;
}

/** The keys a pattern may have, and their readers. */
export const conditionReaders: Readonly<
  Record<string, (written: unknown, cursor: DocumentCursor) => readonly Condition[]>
> = {
  tool: (written, cursor) => [fits(cursor, readGlobs(written, cursor), "the tool", ({ tool }) => tool)],
  principal: readPrincipal,
  agent: (written, cursor) => [fits(cursor, readGlobs(written, cursor), "the agent", ({ agent }) => agent.agentId)],
  model: (written, cursor) => [fits(cursor, readGlobs(written, cursor), "the model", ({ agent }) => agent.model)],
  route: (written, cursor) => [isOneOf(cursor, readNames(written, cursor, routes), "the route", ({ route }) => route)],
  mode: (written, cursor) => [isOneOf(cursor, readNames(written, cursor, modes), "the mode", ({ mode }) => mode)],
  arguments: (written, cursor) => {
    if (!isRecord(written) || Object.keys(written).length === 0)
      return wrong(cursor, "must name one or more arguments");
    if (Object.keys(written).length > maxArguments) return wrong(cursor, `must name at most ${maxArguments} arguments`);
    return Object.entries(written).map(([key, matcher]) => readArgument(key, matcher, cursor.at(key)));
  },
  time: (written, cursor) => {
    const window = readTimeWindow(written, cursor);
    if (!window) return [];
    const { includes, show, wants } = window;
    const why = ({ now }: CallFacts) => `it is ${show(now)}; the rule needs ${wants}`;
    return [{ path: cursor.path, matches: ({ now }) => includes(now), why }];
  },
};

const maxArguments = 100;

const modes = names<Mode>({ simulation: true, production: true });
export const principalKinds = names<Principal["kind"]>({
  local: true,
  token: true,
  trainer: true,
  person: true,
  anonymous: true,
});

/** Lists every member of a union; the compiler rejects an incomplete list. */
function names<Name extends string>(all: Record<Name, true>): readonly Name[] {
  return Object.keys(all) as Name[];
}

/** `token:ada`, a list of such strings, or `{ kind, id, scopes, issuer, client, key }`. */
function readPrincipal(written: unknown, cursor: DocumentCursor): readonly Condition[] {
  if (!isRecord(written)) return [readShorthand(written, cursor)];
  const keys = Object.keys(written);
  if (keys.length === 0) return wrong(cursor, `is empty; write at least one of ${principalKeys.join(", ")}`);
  return keys.flatMap((key) => {
    const at = cursor.at(key);
    switch (key) {
      case "kind":
        return [
          isOneOf(
            at,
            readNames(written[key], at, principalKinds),
            "the principal's kind",
            ({ principal }) => principal.kind,
          ),
        ];
      case "id":
        return [fits(at, readGlobs(written[key], at), "the principal", ({ principal }) => principal.id)];
      case "scopes":
        return readScopes(written[key], at);
      case "issuer":
        return [fits(at, readGlobs(written[key], at), "the token's issuer", identityOf("issuer"))];
      case "client":
        return [fits(at, readGlobs(written[key], at), "the token's client", identityOf("clientId"))];
      case "key":
        return [fits(at, readGlobs(written[key], at), "the proven key", identityOf("keyThumbprint"))];
      default:
        at.fail(unknownName(key, principalKeys), "key");
        return [];
    }
  });
}

const principalKeys = ["kind", "id", "scopes", "issuer", "client", "key"];

/** Undefined for callers without an OAuth token, whom no glob matches. */
function identityOf(name: "issuer" | "clientId" | "keyThumbprint"): (facts: CallFacts) => string | undefined {
  return ({ principal }) => principal.identity?.[name];
}

function readShorthand(written: unknown, cursor: DocumentCursor): Condition {
  const items: readonly unknown[] = Array.isArray(written) ? written : [written];
  if (items.length === 0) cursor.fail("is empty, so nothing could match");
  const tests = items.map((item, index) => {
    const at = Array.isArray(written) ? cursor.at(index) : cursor;
    if (typeof item !== "string") {
      at.fail('must be written like "token:ada", or with kind, id and scopes');
      return () => false;
    }
    const colon = item.indexOf(":");
    const [kind] = readNames(colon === -1 ? item : item.slice(0, colon), at, principalKinds);
    const id = colon === -1 ? undefined : readGlobs(item.slice(colon + 1), at);
    return ({ principal }: CallFacts) => principal.kind === kind && (!id || id.matches(principal.id) === true);
  });
  return {
    path: cursor.path,
    matches: (facts) => tests.some((test) => test(facts)),
    why: ({ principal }) =>
      `the principal is ${showName(`${principal.kind}:${principal.id}`)}; the rule needs ${orList(items.map(showValue))}`,
  };
}

/** The principal needs all of them. */
function readScopes(written: unknown, cursor: DocumentCursor): readonly Condition[] {
  const items: readonly unknown[] = Array.isArray(written) ? written : [written];
  if (items.length === 0) return wrong(cursor, "is empty; list the required scopes");
  if (!items.every((item) => typeof item === "string")) return wrong(cursor, "must be scope names");
  const missing = ({ principal }: CallFacts) => items.filter((scope) => !principal.scopes.includes(scope));
  return [
    {
      path: cursor.path,
      matches: ({ principal }) => items.every((scope) => principal.scopes.includes(scope)),
      why: (facts) => `the principal lacks the scope ${missing(facts).map(showValue).join(", ")}`,
    },
  ];
}

function fits(
  cursor: DocumentCursor,
  matcher: Matcher,
  what: string,
  of: (facts: CallFacts) => string | undefined,
): Condition {
  return {
    path: cursor.path,
    matches: (facts) => matcher.matches(of(facts)) === true,
    why: (facts) => {
      const value = of(facts);
      return `${what} is ${value === undefined ? "unknown" : showValue(value)}; the rule needs ${matcher.wants}`;
    },
  };
}

function isOneOf(
  cursor: DocumentCursor,
  known: readonly string[],
  what: string,
  of: (facts: CallFacts) => string,
): Condition {
  return {
    path: cursor.path,
    matches: (facts) => known.includes(of(facts)),
    why: (facts) => `${what} is ${of(facts)}; the rule needs ${orList(known)}`,
  };
}

function wrong(cursor: DocumentCursor, message: string): readonly Condition[] {
  cursor.fail(message);
  return [];
}
