import { userInfo } from "node:os";
import type { Listening, ServeOptions } from "../server/listening.ts";
import type { Server } from "../server/server.ts";
import type { Channel } from "../transport/channel.ts";
import { stdioChannel } from "../transport/stdio.ts";
import { defaultMaxBytes } from "./limits.ts";
import { ChannelConnection } from "./mcp/channel.ts";
import { Endpoint } from "./mcp/endpoint.ts";

/** Serves the process that started this one, over standard input and output. */
export function serveStdio(server: Server, options: ServeOptions): Listening {
  const endpoint = new Endpoint(server, options);
  const principal = { kind: "local" as const, id: userInfo().username, scopes: [] };
  let announceClosed: () => void = () => undefined;
  const closed = new Promise<void>((resolve) => {
    announceClosed = resolve;
  });
  const outbox: Channel = { send: (message) => channel.send(message), close: () => channel.close() };
  const connection = new ChannelConnection(endpoint, principal, outbox, announceClosed);
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
