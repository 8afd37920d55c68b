import type { SignInKeys } from "../admin/people/sign-in-keys.ts";
import type { ResolvedConfig } from "../config/resolve-config.ts";
import type { ModuleState } from "../desk/contract.ts";
import type { Desk } from "../desk/desk.ts";
import { BiplaneError } from "../errors.ts";
import { createLogger } from "../observe/logs.ts";
import type { Logger } from "../observe/logs.ts";
import { createMetrics } from "../observe/metrics.ts";
import type { Listening } from "../server/listening.ts";
import { serve as listen } from "../wire/serve.ts";
import type { Served } from "../wire/wing.ts";
import { addCode } from "./code-doors.ts";
import { doorsOf } from "./doors.ts";
import type { Doors } from "./doors.ts";
import { openHouse } from "./house.ts";
import type { House } from "./house.ts";
import { listenUntilStopped } from "./listen.ts";
import { openPeopleSide } from "./people-side.ts";
import { servedBy } from "./served.ts";
import type { State } from "./state.ts";

export interface HouseRun {
  readonly resolved: ResolvedConfig;
  readonly state: State;
  /** What is served beside all that the config names. */
  readonly more?: (log: Logger) => readonly Served[] | Promise<readonly Served[]>;
  /** What to tell the person who started it. */
  readonly welcome: (up: Up) => string;
  /** What goes on while it is up. */
  readonly meanwhile?: (up: Up) => AsyncDisposable;
  /** Keys that let somebody in once; left out, none does. */
  readonly keys?: SignInKeys;
  /** Where a module is being written: how it stands. */
  readonly module?: () => ModuleState;
}

/** A house with its doors open. */
export interface Up {
  readonly url: string;
  readonly served: readonly Served[];
  readonly house: House;
  readonly doors: Doors;
  readonly desk: Desk;
  readonly log: Logger;
}

/** Opens everything that a config says, governs it, and serves it until somebody stops it. */
export async function runHouse(run: HouseRun): Promise<void> {
  const { resolved, state, more, welcome, meanwhile, keys, module } = run;
  const { config } = resolved;
  const log = createLogger({ ...config.logging, redactor: () => state.secrets.redactor() });
  await using house = openHouse({ config, store: state.store, secrets: state.secrets, log });
  const served = await servedBy(config, { house, log, more: (await more?.(log)) ?? [] });
  if (served.length === 0)
    throw new BiplaneError("INVALID_DEFINITION", "say what to serve: a file, --env, --pack, --gym, or a biplane.yaml");
  await addCode(served, config);
  using metrics = createMetrics();
  metrics.gauge("approvals_waiting", () => house.approvals.waiting());
  let listening: Listening | undefined;
  await using side = openPeopleSide({ resolved, house, served, log, module, listening: () => listening });
  for (const each of served) each.govern({ ...house.governance, meters: [metrics, side.desk.meterOf(each)] });
  const doors = await doorsOf(config, house, { log, metrics, side, keys });
  let going: AsyncDisposable | undefined;
  await listenUntilStopped({
    url: config.listen,
    listen: async () => (listening = await listen(served, doors.options)),
    close: async () => {
      await going?.[Symbol.asyncDispose]();
      await side.desk.close();
      await Promise.all(served.map((each) => each.close()));
    },
    welcome: (url) => {
      const up = { url, served, house, doors, desk: side.desk, log };
      going = meanwhile?.(up);
      void invite(up);
      return welcome(up);
    },
  });
}

/** While nobody can log in, the terminal has the key to the people's doors. */
async function invite({ doors, url }: Up): Promise<void> {
  const code = await doors.setupCode().catch(() => undefined); // the house may be closing already
  if (code === undefined) return;
  process.stderr.write(`
  Nobody can log in yet. Whoever opens this first decides here:

    ${url}/#/setup/${code}

`);
}
