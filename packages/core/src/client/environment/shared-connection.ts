import type { ToolInfo } from "../results.ts";
import type { ConnectEnvironmentOptions } from "./connect-options.ts";
import type { Connector, EnvironmentClient } from "./environment-client.ts";
import { HttpClient } from "./http-client.ts";

/** What the clients of one server share. */
export interface SharedConnection {
  readonly url: string;
  readonly options: ConnectEnvironmentOptions;
  readonly http: HttpClient;
  /** Lists the tools of the server once for all its clients. */
  readonly listOnce: (list: () => Promise<readonly ToolInfo[]>) => Promise<readonly ToolInfo[]>;
}

/** Opens clients of a server with `open`. */
export function sharedConnector(
  { url, kind, options }: Pick<SharedConnection, "url" | "options"> & Pick<Connector, "kind">,
  open: (shared: SharedConnection) => EnvironmentClient,
): Connector {
  const http = new HttpClient();
  let listing: Promise<readonly ToolInfo[]> | undefined;
  const listOnce: SharedConnection["listOnce"] = (list) => {
    if (listing) return listing;
    listing = list();
    listing.catch(() => (listing = undefined)); // the next client lists again
    return listing;
  };
  return { name: url, kind, open: () => open({ url, options, http, listOnce }), close: async () => http.close() };
}
