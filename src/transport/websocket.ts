import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { WebSocketServer } from "ws";
import type { WebSocket } from "ws";
import type { Channel, ChannelListener } from "./channel.ts";

/** Turns upgraded connections into channels, a message a text frame. */
export class WebSocketDoor {
  readonly #server: WebSocketServer;

  constructor(options: { maxMessageBytes: number; subprotocol?: string }) {
    this.#server = new WebSocketServer({
      noServer: true,
      maxPayload: options.maxMessageBytes,
      handleProtocols: (offered) =>
        options.subprotocol && offered.has(options.subprotocol) ? options.subprotocol : false,
    });
  }

  accept(request: IncomingMessage, socket: Duplex, head: Buffer, open: (channel: Channel) => ChannelListener): void {
    this.#server.handleUpgrade(request, socket, head, (client) => attach(client, open));
  }

  close(): void {
    for (const client of this.#server.clients) client.close(1001, "The server is closing");
    setTimeout(() => {
      for (const client of this.#server.clients) client.terminate();
    }, 500).unref();
    this.#server.close();
  }
}

function attach(client: WebSocket, open: (channel: Channel) => ChannelListener): void {
  let answered = true;
  const listener = open({
    send: (message) => client.send(message, { binary: false }),
    close: () => client.close(1000),
  });
  client.on("message", (data: Buffer) => listener.onMessage(data.toString()));
  client.on("error", () => undefined); // "close" follows, with the same news
  client.on("close", () => listener.onClose());
  client.on("pong", () => {
    answered = true;
  });
  const heartbeat = setInterval(() => {
    if (!answered) client.terminate();
    answered = false;
    client.ping();
  }, 30_000);
  heartbeat.unref();
  client.on("close", () => clearInterval(heartbeat));
}
