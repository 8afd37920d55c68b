import { fixture } from "../support/fixture.ts";
import { stdioServer } from "../support/child.ts";
import { listen } from "../support/serving.ts";
import { connect } from "biplane/client";
import type { Client } from "../../packages/core/src/client/client.ts";
import type { ConnectOptions } from "../../packages/core/src/client/options.ts";

/** Every way to our own server, in both eras: what holds for a client holds over all of them. */
export const targets: readonly Target[] = (["http", "socket", "process", "memory"] as const).flatMap((way) =>
  (["modern", "legacy"] as const).map((era) => ({ name: `${way}, ${era}`, way, era })),
);

export interface Target {
  readonly name: string;
  readonly way: "http" | "socket" | "process" | "memory";
  readonly era: "modern" | "legacy";
}

/** A client of the fixture over one of the ways, and all that must be closed after it. */
export async function slot({ way, era }: Target, options: ConnectOptions = {}): Promise<Slot> {
  const settings = { era, ...options };
  if (way === "process") return held(await connect(stdioServer, settings));
  const gateway = fixture();
  if (way === "memory") return held(await connect(gateway, settings), () => gateway.close());
  const served = await listen(gateway);
  return held(await connect(way === "http" ? served.mcp : served.socket, settings), () => gateway.close());
}

export interface Slot extends AsyncDisposable {
  readonly client: Client;
}

function held(client: Client, close: () => Promise<void> = async () => undefined): Slot {
  return {
    client,
    async [Symbol.asyncDispose]() {
      await client.close();
      await close();
    },
  };
}
