import { bearerTokens } from "../admin/access/bearer-tokens.ts";
import { firstOf } from "../admin/access/first-of.ts";
import type { SignInKeys } from "../admin/people/sign-in-keys.ts";
import type { People } from "../admin/people/people.ts";
import type { Config } from "../config/config-schema.ts";
import { logRequests } from "../observe/log-requests.ts";
import type { Logger } from "../observe/logs.ts";
import { metricsDoor } from "../observe/metrics-door.ts";
import type { Metrics } from "../observe/metrics.ts";
import type { Authenticate } from "../server/authenticate.ts";
import type { PeopleDoors } from "../server/doors.ts";
import type { ServeOptions } from "../server/listening.ts";
import { isLoopback } from "../transport/guard.ts";
import type { Desk } from "../desk/desk.ts";
import type { House } from "./house.ts";
import type { PeopleSide } from "./people-side.ts";
import { version } from "./version.ts";

export interface Doors {
  readonly options: ServeOptions;
  /** What lets the first person in, while there is nobody yet. */
  setupCode(): Promise<string | undefined>;
}

export interface DoorParts {
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly side: PeopleSide;
  /** Keys that let somebody in once; left out, none does. */
  readonly keys?: SignInKeys | undefined;
}

/** Who comes in where, as the config says. */
export async function doorsOf(config: Config, house: House, parts: DoorParts): Promise<Doors> {
  const { auth } = config;
  const { sandboxUrl: _, ...http } = config.http ?? {};
  const { desk, page, sandbox } = parts.side;
  const authenticate = await authenticator(auth);
  const people = peopleWhenAsked(config, house, { desk, keys: parts.keys });
  const options: ServeOptions = {
    url: config.listen,
    ...http,
    ...(authenticate && { authenticate }),
    openTrainerDoors: auth.openTrainerDoors,
    metrics: metricsDoor(parts.metrics),
    requestLog: logRequests(parts.log.named("mcp")),
    ...(mayLogIn(config) && { people, page, ...(sandbox && { sandbox }) }),
    ready: { store: async () => void (await house.store.last("audit")) },
  };
  return { options, setupCode: async () => (mayLogIn(config) ? people.setupCode() : undefined) };
}

async function authenticator({ tokens = [], oauth }: Config["auth"]): Promise<Authenticate | undefined> {
  const ways: Authenticate[] = [];
  if (tokens.length > 0) ways.push(bearerTokens(tokens));
  if (oauth) {
    const { oauthResource } = await import("../admin/access/oauth-resource.ts");
    const { issuer, audience, jwks, toolScopes = {}, requiredScopes = [] } = oauth;
    const scopes = [...new Set(Object.values(toolScopes).flat())];
    ways.push(
      oauthResource({ issuer, audience, requiredScopes, scopes, ...(jwks !== undefined && { jwksUri: jwks }) }),
    );
  }
  return ways.length > 1 ? firstOf(...ways) : ways[0];
}

/** Passphrases travel only within this machine, or to an address that somebody has said is ours. */
function mayLogIn({ listen, http }: Config): boolean {
  if (listen === "stdio") return false;
  return http?.publicUrl !== undefined || isLoopback(new URL(listen).hostname);
}

/** Most servers are never asked: what logging in needs is made ready at the first request. */
function peopleWhenAsked(
  config: Config,
  house: House,
  { desk, keys }: { readonly desk: Desk; readonly keys: SignInKeys | undefined },
): PeopleDoors & { setupCode(): Promise<string | undefined> } {
  let opened: Promise<{ people: People; doors: PeopleDoors }> | undefined;
  const open = async () => {
    const { store, audit, secrets, approvals } = house;
    const [{ openPeople }, { peopleApi }, { describeApi }] = await Promise.all([
      import("../admin/people/people.ts"),
      import("../admin/api/people-api.ts"),
      import("../desk/openapi/document.ts"),
    ]);
    const { idleHours, longestHours } = config.people;
    const sessions = { idleMs: idleHours * 3_600_000, longestMs: longestHours * 3_600_000 };
    const people = openPeople({ store, audit, sessions, keys });
    const parts = { people, secrets, approvals, log: store, ...(audit && { audit }) };
    const routes = await desk.routes(people);
    return { people, doors: peopleApi({ ...parts, routes, describe: describeApi(version) }) };
  };
  return {
    answer: async (request) => (await (opened ??= open())).doors.answer(request),
    setupCode: async () => (await (opened ??= open())).people.setupCode(),
  };
}
