import { existsSync } from "node:fs";
import { sandboxDoor } from "../app/sandbox/sandbox-door.ts";
import type { SandboxDoor } from "../app/sandbox/sandbox-door.ts";
import type { Config } from "../config/config-schema.ts";
import type { ResolvedConfig } from "../config/resolve-config.ts";
import type { ModuleState } from "../desk/contract.ts";
import { openDesk } from "../desk/desk.ts";
import type { Desk } from "../desk/desk.ts";
import { pageDoor } from "../desk/page-door.ts";
import { ScriptDesk } from "../desk/script-desk.ts";
import { scriptSettings } from "../desk/script-settings.ts";
import { Environment } from "../environment/environment.ts";
import type { Logger } from "../observe/logs.ts";
import { packs } from "../pack/packs.ts";
import type { PageDoor } from "../server/doors.ts";
import type { Listening } from "../server/listening.ts";
import { sqliteStore } from "../store/sqlite.ts";
import type { Store } from "../store/store.ts";
import { isLoopback } from "../transport/guard.ts";
import type { Served } from "../wire/wing.ts";
import type { House } from "./house.ts";
import { runsFile } from "./judge/runs-store.ts";
import { version } from "./version.ts";

/** What people look at and through: the desk behind the API, the page, and where the page shows apps. */
export interface PeopleSide extends AsyncDisposable {
  readonly desk: Desk;
  readonly page: PageDoor;
  readonly sandbox: SandboxDoor | undefined;
}

export interface PeopleSideParts {
  readonly resolved: ResolvedConfig;
  readonly house: House;
  readonly served: readonly Served[];
  readonly log: Logger;
  /** Where a module is being written: how it stands. */
  readonly module?: (() => ModuleState) | undefined;
  /** What listens, once it does. */
  readonly listening: () => Listening | undefined;
}

export function openPeopleSide(parts: PeopleSideParts): PeopleSide {
  const { resolved, house, served, log, module, listening } = parts;
  const { config } = resolved;
  const url = () => config.http?.publicUrl ?? listening()?.url ?? config.listen;
  const sandbox = sandboxFor(config, url);
  const runs = runsOf(config);
  const options = Object.fromEntries(Object.entries(packs).map(([name, pack]) => [name, pack.options]));
  const desk = openDesk({
    name: config.name,
    version,
    served,
    url,
    sandbox: () => (sandbox ? withPort(sandbox.address, url()) : null),
    approvals: house.approvals,
    audit: house.audit,
    connections: () => listening()?.connections,
    module,
    stores: [house.store, ...runs],
    scripts: scriptsOf(config, house, served),
    settings: { config: resolved, packs: options, secrets: house.secrets },
    onFault: (fault, where) => log.error(`${where} failed`, { error: fault }),
  });
  return {
    desk,
    sandbox,
    page: pageDoor({ frames: sandbox && framesOf(sandbox.address) }),
    async [Symbol.asyncDispose]() {
      await desk.close();
      for (const store of runs) await store.close();
    },
  };
}

/**
 * Apps run on an origin of their own. On this machine every name under localhost is one; elsewhere somebody has to say
 * which it is, and without that apps are shown as text.
 */
function sandboxFor({ listen, http = {} }: Config, url: () => string): SandboxDoor | undefined {
  const { publicUrl, sandboxUrl } = http;
  const own = publicUrl ?? listen;
  const isHere = own !== "stdio" && isLoopback(new URL(own).hostname);
  const address = sandboxUrl ?? (isHere ? "http://{app}.localhost" : undefined);
  if (address === undefined) return undefined;
  // Every name of this machine is the page's, but not every port: who listens at another could run code as any app.
  const isOurs = (origin: string) => {
    const { hostname, port } = new URL(origin);
    if (publicUrl !== undefined) return origin === new URL(publicUrl).origin;
    return isLoopback(hostname) && port === new URL(url()).port;
  };
  return sandboxDoor({ address, hosts: isOurs });
}

/** The port is known when it is open; an address that somebody wrote down is complete. */
function withPort(address: string, url: string): string {
  return address === "http://{app}.localhost" ? `${address}:${new URL(url).port || 80}` : address;
}

function framesOf(address: string): string {
  return address === "http://{app}.localhost" ? "http://*.localhost:*" : address.replace("{app}", "*");
}

/** The runs that `biplane rollout` keeps beside the project, where there are any. */
function runsOf({ store }: Config): Store[] {
  return existsSync(runsFile) && store !== runsFile ? [sqliteStore(runsFile)] : [];
}

function scriptsOf(config: Config, { approvals, secrets, store }: House, served: readonly Served[]) {
  const written = config.packs["script"];
  const server = served.find((each) => each.name === config.name);
  if (!written || !server || server instanceof Environment) return {};
  const settings = scriptSettings(written, {
    server: config.name,
    approvals,
    secrets: (name: string) => secrets.get(name),
  });
  return { desk: new ScriptDesk({ server: config.name, settings, approvals, store }), server, secrets };
}
