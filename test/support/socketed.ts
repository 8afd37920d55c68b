import { WebSocket } from "ws";
import { RpcMailbox } from "./rpc-mailbox.ts";

/** A WebSocket that speaks JSON-RPC. */
export class Socketed {
  readonly mailbox = new RpcMailbox();
  readonly closed: Promise<number>;
  readonly #socket: WebSocket;

  constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on("message", (data: Buffer) => this.mailbox.put(data.toString()));
    this.closed = new Promise((resolve) => socket.once("close", resolve));
  }

  static async open(url: string): Promise<Socketed> {
    const socket = new WebSocket(url, "mcp");
    const opened = new Promise((resolve, reject) => {
      socket.once("open", resolve);
      socket.once("error", reject);
    });
    await opened;
    return new Socketed(socket);
  }

  send(data: string | Buffer): void {
    this.#socket.send(data);
  }

  /** As a text frame, even if the bytes are no text. */
  sendText(data: Buffer): void {
    this.#socket.send(data, { binary: false });
  }

  close(): void {
    this.#socket.terminate();
  }
}
