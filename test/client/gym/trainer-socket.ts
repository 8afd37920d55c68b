import { once } from "node:events";
import { WebSocket } from "ws";

/** A trainer at OpenEnv's socket: asks, and gets the data of the next frame. */
export async function openSocket(url: string) {
  const socket = new WebSocket(`${url.replace("http", "ws")}/ws`);
  await once(socket, "open");
  return {
    async ask(frame: object): Promise<Record<string, unknown>> {
      const answered = once(socket, "message");
      socket.send(JSON.stringify(frame));
      const [message] = (await answered) as [Buffer];
      return (JSON.parse(message.toString()) as { data: Record<string, unknown> }).data;
    },
    async close(): Promise<void> {
      socket.close();
      await once(socket, "close");
    },
  };
}
