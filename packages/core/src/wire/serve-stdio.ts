import { userInfo } from "node:os";
import { Environment } from "../environment/environment.ts";
import { BiplaneError } from "../errors.ts";
import type { Listening, ServeOptions } from "../server/listening.ts";
import type { Channel } from "../transport/channel.ts";
import { stdioChannel } from "../transport/stdio.ts";
import { defaultMaxBytes } from "../bounds/message-bytes.ts";
import { ChannelConnection } from "./mcp/channel.ts";
import { Endpoint } from "./mcp/endpoint.ts";
import { EpisodeResolver } from "./mcp/episode-resolver.ts";
import { serverOf } from "../environment/served.ts";
import type { Served } from "../environment/served.ts";

/** Serves the process that started this one, over standard input and output. */
export function serveStdio([served, ...others]: readonly Served[], options: ServeOptions): Listening {
  if (!served || others.length > 0)
    throw new BiplaneError(
      "INVALID_DEFINITION",
      `stdio serves exactly one server, not ${others.length + (served ? 1 : 0)}. Serve several over http://.`,
    );
  const server = serverOf(served);
  const resolver = served instanceof Environment ? new EpisodeResolver(served, {}) : undefined;
  const endpoint = new Endpoint(server, { ...options, resolver });
  const principal = { kind: "local" as const, id: userInfo().username, scopes: [] };
  let announceClosed: () => void = () => undefined;
  const closed = new Promise<void>((resolve) => {
    announceClosed = resolve;
  });
  const outbox: Channel = { send: (message) => channel.send(message), close: () => channel.close() };
  const connection = new ChannelConnection(endpoint, outbox, {
    principal,
    onClosed: announceClosed,
  });
  const channel = stdioChannel(
    {
      onMessage: (text) => connection.onMessage(text),
      onOversize: () => connection.onOversize(),
      // Input has ended, but pending requests still get their responses.
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
