import { openHost } from "../host/open-host.ts";
import type { Host, OpenHostOptions } from "../host/open-host.ts";
import { listenUntilStopped } from "./listen.ts";
import { isFirstProcess } from "./serve/processes.ts";
import { surviveFaults } from "./survive-faults.ts";

export interface RunHostOptions extends OpenHostOptions {
  /** The text to print when the host listens. */
  readonly welcome: (host: Host) => string;
  /** Starts something that runs until the host stops. */
  readonly meanwhile?: (host: Host) => AsyncDisposable;
}

/** Opens a host and keeps it open until the user stops it. */
export async function runHost({ welcome, meanwhile, ...options }: RunHostOptions): Promise<void> {
  let host: Host | undefined;
  let companion: AsyncDisposable | undefined;
  // The companion uses the store, which closes with the host.
  const closeInOrder = async () => {
    await companion?.[Symbol.asyncDispose]();
    await host?.close();
  };
  let closing: Promise<void> | undefined;
  const close = () => (closing ??= closeInOrder());
  await listenUntilStopped({
    url: options.resolved.config.listen,
    listen: async () => {
      host = await openHost(options);
      surviveFaults(host.log);
      return { url: host.url, closed: host.closed, close, [Symbol.asyncDispose]: close };
    },
    close,
    welcome: () => {
      if (!host) return "";
      companion = meanwhile?.(host);
      if (isFirstProcess()) void printSetupLink(host);
      return welcome(host);
    },
  });
}

async function printSetupLink(host: Host): Promise<void> {
  const code = await host.setupCode().catch(() => undefined); // the host may be closing already
  if (code === undefined) return;
  process.stderr.write(`
  No account yet. Open this one-time link to create the administrator:

    ${host.url}/#/setup/${code}

`);
}
