import { once } from "node:events";
import { connect, createServer } from "node:net";
import type { Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

/** The connections of one server to its database. They can break, or hold back what is sent over them. */
export interface DatabaseLink extends AsyncDisposable {
  readonly port: number;
  /** Breaks all connections, and refuses new ones for a while. */
  cut(ms: number): Promise<void>;
  /** Delays everything that is sent for a while. Connections stay open. */
  stall(ms: number): Promise<void>;
}

export async function openDatabaseLink(databasePort: number): Promise<DatabaseLink> {
  const sockets = new Set<Socket>();
  let state: "open" | "cut" | "stalled" = "open";
  const add = (socket: Socket, other: Socket) => {
    sockets.add(socket);
    socket.on("data", (data) => other.write(data));
    socket.on("error", () => socket.destroy());
    socket.on("close", () => {
      sockets.delete(socket);
      other.destroy();
    });
    if (state === "stalled") socket.pause();
  };
  const server = createServer((client) => {
    client.on("error", () => client.destroy());
    if (state === "cut") return void client.destroy();
    const database = connect(databasePort, "127.0.0.1");
    add(client, database);
    add(database, client);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const breakAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as { port: number }).port,
    async cut(ms) {
      state = "cut";
      breakAll();
      await pause(ms);
      state = "open";
    },
    async stall(ms) {
      state = "stalled";
      for (const socket of sockets) socket.pause();
      await pause(ms);
      state = "open";
      for (const socket of sockets) socket.resume();
    },
    async [Symbol.asyncDispose]() {
      breakAll();
      server.close();
      await once(server, "close");
    },
  };
}
