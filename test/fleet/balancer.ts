import { createServer, connect } from "node:net";
import type { Socket } from "node:net";
import { once } from "node:events";

/** Sends each connection to the next of several ports; one that refuses it is passed over. No stickiness. */
export async function startBalancer(ports: readonly number[]): Promise<Balancer> {
  const open = new Set<Socket>();
  let next = 0;
  const server = createServer({ allowHalfOpen: true }, (client) => {
    open.add(client);
    client.on("close", () => open.delete(client));
    client.on("error", () => client.destroy());
    forward(client, ports.length);
  });
  const forward = (client: Socket, tries: number): void => {
    const target = connect({ port: ports[next++ % ports.length] as number, host: "127.0.0.1", allowHalfOpen: true });
    target.once("connect", () => {
      target.removeAllListeners("error");
      target.on("error", () => client.destroy());
      target.on("close", () => client.destroy());
      client.on("close", () => target.destroy());
      client.pipe(target).pipe(client);
    });
    target.once("error", () => (tries > 1 ? forward(client, tries - 1) : client.destroy()));
  };
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const cut = () => {
    for (const socket of open) socket.destroy();
  };
  return {
    cut,
    url: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
    async [Symbol.asyncDispose]() {
      cut();
      server.close();
      await once(server, "close");
    },
  };
}

export interface Balancer extends AsyncDisposable {
  readonly url: string;
  /** Breaks all connections. */
  cut(): void;
}
