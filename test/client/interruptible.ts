import { connect as dial, createServer } from "node:net";
import type { AddressInfo, Server, Socket } from "node:net";

/** A wire between a client and a server that a test can cut, and mend: bytes pass through it, both ways. */
export class Interruptible implements AsyncDisposable {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #target: number;

  private constructor(target: number) {
    this.#target = target;
    this.#server = createServer((near) => this.#join(near));
  }

  static async to(port: number): Promise<Interruptible> {
    const wire = new Interruptible(port);
    await new Promise<void>((resolve) => wire.#server.listen(0, "127.0.0.1", resolve));
    return wire;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Cuts every open connection. New ones are forwarded, to `port` if given. */
  cut(port: number = this.#target): void {
    this.#target = port;
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #join(near: Socket): void {
    const far = dial(this.#target, "127.0.0.1");
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#sockets.add(one);
      one.on("error", () => other.destroy());
      one.on("close", () => {
        this.#sockets.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  }
}
