import { once } from "node:events";
import { connect, createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";

/** A TCP proxy on loopback whose connections can be cut. */
export interface TcpProxy extends AsyncDisposable {
  readonly port: number;
  /** Breaks every connection, and refuses new ones until `restore`. */
  cut(): void;
  restore(): void;
}

export async function startTcpProxy(target: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let isCut = false;
  const server = createServer((client) => {
    if (isCut) return void client.resetAndDestroy();
    const upstream = connect(target, "127.0.0.1");
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket);
      socket.pipe(other);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const drop = () => sockets.forEach((socket) => socket.resetAndDestroy());
  return {
    port: (server.address() as AddressInfo).port,
    cut() {
      isCut = true;
      drop();
    },
    restore: () => void (isCut = false),
    async [Symbol.asyncDispose]() {
      drop();
      server.close();
      await once(server, "close");
    },
  };
}
