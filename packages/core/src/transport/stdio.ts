import type { Readable, Writable } from "node:stream";
import { contain } from "../bounds/contain.ts";
import type { Channel, ChannelListener } from "./channel.ts";

export interface StdioOptions {
  readonly input?: Readable;
  readonly output?: Writable;
  readonly maxMessageBytes: number;
}

/** One message per line over two streams (default: stdin and stdout of this process). */
export function stdioChannel(listener: ChannelListener, options: StdioOptions): Channel {
  const { input = process.stdin, output = process.stdout, maxMessageBytes } = options;
  const write = output.write.bind(output);
  const restore = output === process.stdout ? keepStdoutClean() : () => undefined;
  const lines = new LineReader(listener, maxMessageBytes);
  let open = true;
  const end = () => {
    if (!open) return;
    open = false;
    listener.onClose();
  };
  input.setEncoding("utf8");
  input.on("data", (chunk: string) => lines.push(chunk));
  input.on("end", () => {
    lines.flush();
    end();
  });
  input.on("error", end);
  output.on("error", end);
  return {
    send(message) {
      if (typeof message === "string") write(`${message}\n`);
      else write(Buffer.concat([message, newline]));
    },
    close() {
      restore();
      input.removeAllListeners("data");
      input.pause();
      end();
    },
  };
}

const newline = Buffer.from("\n");

/** Stdout carries the protocol, so anything tools print goes to stderr. */
function keepStdoutClean(): () => void {
  const write = process.stdout.write.bind(process.stdout);
  process.stdout.write = process.stderr.write.bind(process.stderr);
  return () => {
    process.stdout.write = write;
  };
}

/** Splits text into lines. A line over the limit is dropped and reported once. */
class LineReader {
  readonly #listener: ChannelListener;
  readonly #limit: number;
  #rest = "";
  #dropping = false;

  constructor(listener: ChannelListener, limit: number) {
    this.#listener = listener;
    this.#limit = limit;
  }

  push(chunk: string): void {
    let from = 0;
    for (let end = chunk.indexOf("\n"); end >= 0; end = chunk.indexOf("\n", from)) {
      this.#line(this.#rest + chunk.slice(from, end));
      this.#rest = "";
      from = end + 1;
    }
    if (!this.#dropping) this.#rest += chunk.slice(from);
    if (this.#rest.length > this.#limit) {
      this.#dropping = true;
      this.#rest = "";
    }
  }

  /** Handles a last line without a newline. */
  flush(): void {
    if (this.#rest || this.#dropping) this.#line(this.#rest);
    this.#rest = "";
  }

  #line(line: string): void {
    const tooLong = this.#dropping || line.length > this.#limit;
    this.#dropping = false;
    if (tooLong) this.#listener.onOversize();
    else if (line.trim() !== "") void contain(ignore, () => this.#listener.onMessage(line));
  }
}

/** The one client of a process keeps its connection. */
function ignore(): void {}
