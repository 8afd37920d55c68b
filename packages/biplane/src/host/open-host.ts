import { BiplaneError } from "@biplane/core";
import { CombinedRedactor, serverOf } from "@biplane/core/internal";
import { serve } from "@biplane/core/wire";
import type { Listening } from "@biplane/core";
import type { Served } from "@biplane/core";
import type { AdminApi } from "../admin/admin-api.ts";
import type { ModuleState } from "../admin/events/event-api.ts";
import type { ResolvedConfig } from "../config/resolve-config.ts";
import { StoredTokens } from "../governance/access/stored-tokens.ts";
import type { SignInKeys } from "../governance/people/sign-in-keys.ts";
import { codeActions, codeBytes } from "../code/code-shares.ts";
import { calendarPlaces } from "../pack/calendar/calendar-expander.ts";
import { pagePlaces } from "../pack/web/page-reader.ts";
import { createLogger } from "../observe/logs.ts";
import type { Logger } from "../observe/logs.ts";
import { createMetrics } from "../observe/metrics.ts";
import { addCode } from "./add-code.ts";
import { disclosureOf } from "./disclosure.ts";
import { loadOf, openFleet, reachableAddress } from "./fleet.ts";
import { openAdminUi } from "./admin-ui.ts";
import { openEndpoints } from "./endpoints.ts";
import { openNotifications, startNotifier } from "./notifications.ts";
import { retentionOf, startRetention } from "./retention.ts";
import { recordServed } from "./record-served.ts";
import { openRuntime } from "./runtime.ts";
import type { Runtime } from "./runtime.ts";
import { loadServed } from "./served.ts";
import type { HostState } from "./state.ts";
import { weakSecrets } from "./weak-secrets.ts";

export interface OpenHostOptions {
  readonly resolved: ResolvedConfig;
  readonly state: HostState;
  /** Servers and environments to serve besides those that the config names. */
  readonly more?: (log: Logger) => readonly Served[] | Promise<readonly Served[]>;
  /** Single-use keys that sign a person in. Without them, people sign in with a passphrase only. */
  readonly keys?: SignInKeys;
  /** The state of the module that `biplane app dev` reloads. */
  readonly module?: () => ModuleState;
}

/** Everything that a config describes, listening. */
export interface Host extends AsyncDisposable {
  /** Where it listens, or `stdio`. */
  readonly url: string;
  readonly served: readonly Served[];
  readonly runtime: Runtime;
  readonly admin: AdminApi;
  readonly log: Logger;
  /** The code of the link that creates the administrator. Undefined once an account exists, or if signing in is off. */
  setupCode(): Promise<string | undefined>;
  /** Resolves when it no longer listens: after `close()`, or when standard input ends. */
  readonly closed: Promise<void>;
  /** Stops listening, lets running calls finish, then closes servers and the store. */
  close(): Promise<void>;
}

/** The whole start-up, in order. Everything that was opened is closed in reverse, also if a later step fails. */
export async function openHost({ resolved, state, more, keys, module }: OpenHostOptions): Promise<Host> {
  const { config } = resolved;
  const { store, secrets } = state;
  const closers: (() => unknown)[] = [];
  const closeInOrder = async () => {
    for (const each of closers.splice(0).reverse()) await each();
  };
  let closing: Promise<void> | undefined;
  // A second call of close waits too: the store may be closed only after everything has been written.
  const close = () => (closing ??= closeInOrder());
  try {
    // 1. The log. It hides the secrets of the config and of every server.
    let served: readonly Served[] = [];
    let listening: Listening | undefined;
    const redactors = new CombinedRedactor();
    const redactor = () => redactors.of([secrets.redactor(), ...served.map((each) => each.redactor)]);
    const log = createLogger({ ...config.logging, redactor });

    // 2. Approvals, audit, policies and limits.
    const runtime = openRuntime({ config, store, secrets, log });
    closers.push(() => runtime[Symbol.asyncDispose]());
    const fleet = store.isShared
      ? await openFleet({ store, key: state.fleetKey, log, load: () => loadOf(served, listening) })
      : undefined;
    if (fleet) closers.push(() => fleet[Symbol.asyncDispose]());
    if (config.store !== undefined) {
      const retention = startRetention({ store, retention: retentionOf(config), log });
      closers.push(() => retention[Symbol.asyncDispose]());
    }
    const notifications = await openNotifications({ config, ...runtime, linkKey: state.linkKey });
    for (const warning of weakSecrets(secrets, config)) log.warn(warning);

    // 3. The servers and environments, with run_code if the config has it.
    served = await loadServed(config, { runtime, log, more: (await more?.(log)) ?? [] });
    if (served.length === 0) throw nothingToServe();
    await addCode(served, config);

    // 4. Metrics, and the admin API with its page.
    const metrics = createMetrics();
    closers.push(() => metrics[Symbol.dispose]());
    metrics.gauge("approvals_waiting", () => runtime.approvals.waiting());
    metrics.watch(codeBytes, codeActions, pagePlaces, calendarPlaces);
    const tokens = await StoredTokens.open({
      store,
      audit: runtime.audit,
      onFault: (error) => log.error("Reading tokens failed", { error }),
    });
    closers.push(() => tokens[Symbol.asyncDispose]());
    const ui = { resolved, runtime, fleet, served, log, module, tokens, listening: () => listening };
    const adminUi = await openAdminUi(ui);
    const { admin } = adminUi;
    closers.push(() => adminUi[Symbol.asyncDispose]());
    admin.log.onCall((call) => runtime.hits.count(call));

    // 5. Governance applies to every server before the first caller can reach one.
    for (const each of served) {
      const disclose = disclosureOf(resolved, each);
      each.govern({ ...runtime.governance, ...(fleet && { fleet }), meters: [metrics, admin.meterOf(each)] });
      if (disclose) each.govern({ disclose });
    }

    await runtime.published.start((policy) => {
      // Published rules only restrict, so they are no policy that production could start with.
      const hasOwn = (each: Served) => config.mode !== "production" || serverOf(each).policies.length > 0;
      for (const each of served.filter(hasOwn)) each.govern({ policies: [policy] });
    });

    if (config.record !== undefined) {
      const recording = await recordServed(served, { folder: config.record, log });
      closers.push(() => recording[Symbol.asyncDispose]());
    }

    // 6. Listen.
    const { options, setupCode } = await openEndpoints({
      config,
      runtime,
      log,
      metrics,
      adminUi,
      keys,
      tokens,
      stateKey: state.stateKey,
      notifications,
    });
    closers.push(() => Promise.all(served.map((each) => each.close())));
    closers.push(() => admin.close());
    const open = (listening = await serve(served, options));
    closers.push(() => open.close());
    if (config.listen !== "stdio") await fleet?.listenAt(reachableAddress(open, config.fleet?.address));
    const { url, closed } = open;
    if (notifications.targets.length > 0) {
      const pageUrl = config.http?.publicUrl ?? (config.listen === "stdio" ? undefined : url);
      const notifier = startNotifier(notifications, { ...runtime, url: pageUrl, log });
      closers.push(() => notifier[Symbol.asyncDispose]());
    }
    return { url, served, runtime, admin, log, closed, setupCode, close, [Symbol.asyncDispose]: close };
  } catch (error) {
    await close();
    throw error;
  }
}

function nothingToServe(): BiplaneError {
  const why = "Nothing to serve. Pass a file, --env, --pack or --gym, or list servers in biplane.yaml.";
  return new BiplaneError("INVALID_DEFINITION", why);
}
