import { userInfo } from "node:os";
import { Environment } from "../environment/environment.ts";
import { BiplaneError } from "../errors.ts";
import type { Listening, ServeOptions } from "../server/listening.ts";
import type { Channel } from "../transport/channel.ts";
import { stdioChannel } from "../transport/stdio.ts";
import { defaultMaxBytes } from "./limits.ts";
import { ChannelConnection } from "./mcp/channel.ts";
import { Endpoint } from "./mcp/endpoint.ts";
import { Seating } from "./mcp/seating.ts";
import type { Served } from "./wing.ts";

/** Serves the process that started this one, over standard input and output. */
export function serveStdio([served, ...others]: readonly Served[], options: ServeOptions): Listening {
  if (!served || others.length > 0)
    throw new BiplaneError("INVALID_DEFINITION", "standard streams carry one server at a time");
  const server = served instanceof Environment ? served.server : served;
  const seating = served instanceof Environment ? new Seating(served.episodes) : undefined;
  const endpoint = new Endpoint(server, { ...options, seating });
  const principal = { kind: "local" as const, id: userInfo().username, scopes: [] };
  let announceClosed: () => void = () => undefined;
  const closed = new Promise<void>((resolve) => {
    announceClosed = resolve;
  });
  const outbox: Channel = { send: (message) => channel.send(message), close: () => channel.close() };
  const connection = new ChannelConnection(endpoint, outbox, { principal, isProcess: true, onClosed: announceClosed });
  const channel = stdioChannel(
    {
      onMessage: (text) => connection.onMessage(text),
      onOversize: () => connection.onOversize(),
      // The input is over, but what was asked before that still gets its answer.
      onClose: () => void connection.drained().then(() => connection.onClose()),
    },
    { maxMessageBytes: options.maxBodyBytes ?? defaultMaxBytes },
  );
  const close = async () => {
    endpoint.close();
    await server.drain(options.graceMs ?? 10_000);
    channel.close();
    await closed;
  };
  return { url: "stdio", closed, close, [Symbol.asyncDispose]: close };
}
