import type { OAuthClientOptions } from "../auth/options.ts";

/** A server of a config file, with variables resolved: a command to start, or a URL. */
export interface ServerEntry {
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** How to get tokens for `url`. */
  readonly oauth?: OAuthClientOptions;
}
