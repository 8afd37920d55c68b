import { once } from "node:events";
import { WebSocket } from "ws";

export type Frame = { readonly type: string; readonly data: Record<string, unknown> };

/** A trainer's socket: frames in, frames out, in order. */
export async function openSocket(url: string, path = "/ws") {
  const socket = new WebSocket(url.replace("http", "ws") + path);
  const frames: Frame[] = [];
  let wake: () => void = () => undefined;
  socket.on("message", (data: Buffer) => {
    frames.push(JSON.parse(data.toString()) as Frame);
    wake();
  });
  const closed = new Promise<[number]>((resolve) => socket.on("close", (code) => resolve([code])));
  await once(socket, "open");
  const next = async (): Promise<Frame> => {
    while (frames.length === 0) await new Promise<void>((resolve) => (wake = resolve));
    return frames.shift() as Frame;
  };
  const send = (frame: unknown) => {
    socket.send(typeof frame === "string" ? frame : JSON.stringify(frame));
    return next();
  };
  return { socket, send, next, closed };
}
