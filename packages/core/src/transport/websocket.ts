import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { WebSocketServer } from "ws";
import type { Channel, ChannelListener } from "./channel.ts";
import { socketChannel } from "./socket-channel.ts";

/** Turns upgraded connections into channels, one message per text frame. */
export class WebSocketListener {
  readonly #server: WebSocketServer;
  #isClosing = false;

  constructor(options: { maxMessageBytes: number; subprotocol?: string }) {
    this.#server = new WebSocketServer({
      noServer: true,
      maxPayload: options.maxMessageBytes,
      handleProtocols: (offered) =>
        options.subprotocol && offered.has(options.subprotocol) ? options.subprotocol : false,
    });
  }

  accept(request: IncomingMessage, socket: Duplex, head: Buffer, open: (channel: Channel) => ChannelListener): void {
    this.#server.handleUpgrade(request, socket, head, (client) =>
      socketChannel(client, open, { isClosing: () => this.#isClosing }),
    );
  }

  /** Messages that arrive from now on are not answered here. */
  stopReading(): void {
    this.#isClosing = true;
  }

  close(): void {
    this.#isClosing = true;
    for (const client of this.#server.clients) client.close(1001, "The server is closing");
    setTimeout(() => {
      for (const client of this.#server.clients) client.terminate();
    }, 500).unref();
    this.#server.close();
  }
}
