import type { Principal, Route } from "../../tool/call.ts";
import type { Mode } from "../policy.ts";
import { readArgument } from "./argument.ts";
import { readGlobs } from "./globs.ts";
import type { Matcher } from "./matcher.ts";
import { unknownName } from "./near-miss.ts";
import type { CallFacts } from "./pattern.ts";
import type { Path, Place } from "./problem.ts";
import { isRecord, orList, readNames } from "./read-list.ts";
import { showName, showValue } from "./show-value.ts";
import { readTimeWindow } from "./time-window.ts";

/** One thing a pattern asks of a call. */
export interface Condition {
  readonly path: Path;
  readonly matches: (facts: CallFacts) => boolean;
  /** Why it does not match, as a sentence. */
  readonly why: (facts: CallFacts) => string;
}

/** What a pattern may speak of, and how each is read. */
export const conditionReaders: Readonly<Record<string, (written: unknown, place: Place) => readonly Condition[]>> = {
  tool: (written, place) => [fits(place, readGlobs(written, place), "the tool", ({ tool }) => tool)],
  principal: readPrincipal,
  agent: (written, place) => [fits(place, readGlobs(written, place), "the agent", ({ agent }) => agent.agentId)],
  model: (written, place) => [fits(place, readGlobs(written, place), "the model", ({ agent }) => agent.model)],
  route: (written, place) => [isOneOf(place, readNames(written, place, routes), "the route", ({ route }) => route)],
  mode: (written, place) => [isOneOf(place, readNames(written, place, modes), "the mode", ({ mode }) => mode)],
  arguments: (written, place) => {
    if (!isRecord(written) || Object.keys(written).length === 0) return wrong(place, "must name one or more arguments");
    if (Object.keys(written).length > mostArguments)
      return wrong(place, `must name at most ${mostArguments} arguments`);
    return Object.entries(written).map(([key, matcher]) => readArgument(key, matcher, place.at(key)));
  },
  time: (written, place) => {
    const window = readTimeWindow(written, place);
    if (!window) return [];
    const { includes, show, wants } = window;
    const why = ({ now }: CallFacts) => `it is ${show(now)}, and should be ${wants}`;
    return [{ path: place.path, matches: ({ now }) => includes(now), why }];
  },
};

const mostArguments = 100;

const modes = names<Mode>({ simulation: true, production: true });
export const routes = names<Route>({
  mcp: true,
  execute: true,
  step: true,
  code: true,
  script: true,
  app: true,
  schedule: true,
  direct: true,
  people: true,
});
export const principalKinds = names<Principal["kind"]>({
  local: true,
  token: true,
  trainer: true,
  person: true,
  anonymous: true,
});

/** Every one of a union's names: the compiler sees that none is left out. */
function names<Name extends string>(all: Record<Name, true>): readonly Name[] {
  return Object.keys(all) as Name[];
}

/** `token:ada`, a list of such, or `{ kind, id, scopes }`. */
function readPrincipal(written: unknown, place: Place): readonly Condition[] {
  if (!isRecord(written)) return [readShorthand(written, place)];
  const keys = Object.keys(written);
  if (keys.length === 0) return wrong(place, `is empty; write one or more of ${principalKeys.join(", ")}`);
  return keys.flatMap((key) => {
    const at = place.at(key);
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
      default:
        at.fail(unknownName(key, principalKeys), "key");
        return [];
    }
  });
}

const principalKeys = ["kind", "id", "scopes"];

function readShorthand(written: unknown, place: Place): Condition {
  const items: readonly unknown[] = Array.isArray(written) ? written : [written];
  if (items.length === 0) place.fail("is empty, so nothing could match");
  const tests = items.map((item, index) => {
    const at = Array.isArray(written) ? place.at(index) : place;
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
    path: place.path,
    matches: (facts) => tests.some((test) => test(facts)),
    why: ({ principal }) =>
      `the principal is ${showName(`${principal.kind}:${principal.id}`)}, and should be ${orList(items.map(showValue))}`,
  };
}

/** All of them are needed. */
function readScopes(written: unknown, place: Place): readonly Condition[] {
  const items: readonly unknown[] = Array.isArray(written) ? written : [written];
  if (items.length === 0) return wrong(place, "is empty; name the scopes that are needed");
  if (!items.every((item) => typeof item === "string")) return wrong(place, "must be the names of scopes");
  const missing = ({ principal }: CallFacts) => items.filter((scope) => !principal.scopes.includes(scope));
  return [
    {
      path: place.path,
      matches: ({ principal }) => items.every((scope) => principal.scopes.includes(scope)),
      why: (facts) => `the principal lacks the scope ${missing(facts).map(showValue).join(", ")}`,
    },
  ];
}

function fits(place: Place, matcher: Matcher, what: string, of: (facts: CallFacts) => string | undefined): Condition {
  return {
    path: place.path,
    matches: (facts) => matcher.matches(of(facts)) === true,
    why: (facts) => {
      const value = of(facts);
      return `${what} is ${value === undefined ? "not known" : showValue(value)}, and should be ${matcher.wants}`;
    },
  };
}

function isOneOf(place: Place, known: readonly string[], what: string, of: (facts: CallFacts) => string): Condition {
  return {
    path: place.path,
    matches: (facts) => known.includes(of(facts)),
    why: (facts) => `${what} is ${of(facts)}, and should be ${orList(known)}`,
  };
}

function wrong(place: Place, message: string): readonly Condition[] {
  place.fail(message);
  return [];
}
