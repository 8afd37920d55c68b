import type { ConnectEnvironmentOptions, EnvironmentTarget } from "@biplane/core/client";
import { connectorFor, messageOf } from "@biplane/core/internal";
import type { Connector } from "@biplane/core/internal";
import { BiplaneError } from "@biplane/core";
import type { Row } from "./row.ts";
import { readRow } from "./row.ts";

export interface MakeOptions extends ConnectEnvironmentOptions {
  readonly rows: readonly Row[];
  /** Part of every session id, and sent to the server (default: the agent's model). */
  readonly modelId?: string;
}

/** Rows and the environment to play them in. Close it when done. */
export interface Envs extends AsyncDisposable {
  readonly rows: readonly Row[];
  readonly modelId: string | undefined;
  readonly connector: Connector;
  close(): Promise<void>;
}

/** Validates the rows and prepares the target. Sends no request, except to detect the kind of a URL. */
export async function make(target: EnvironmentTarget, options: MakeOptions): Promise<Envs> {
  const rows = options.rows.map((row, at) => {
    try {
      return readRow(row);
    } catch (error) {
      throw new BiplaneError("INVALID_INPUT", `Row ${at}: ${messageOf(error)}`, { cause: error });
    }
  });
  const connector = await connectorFor(target, options);
  return {
    rows,
    modelId: options.modelId,
    connector,
    close: () => connector.close(),
    [Symbol.asyncDispose]: () => connector.close(),
  };
}
