import type { Channel, ChannelListener } from "./channel.ts";

/** One end of a pipe in this process: give it a listener, get the channel to the other end. */
export type MemoryEnd = (listener: ChannelListener) => Channel;

/** A pipe in this process. What is sent on one end arrives at the other, in order, a moment later. */
export function memoryPipe(): readonly [MemoryEnd, MemoryEnd] {
  const listeners: ChannelListener[] = [];
  let open = true;
  const end =
    (at: 0 | 1): MemoryEnd =>
    (listener) => {
      listeners[at] = listener;
      return {
        send(message) {
          const text = typeof message === "string" ? message : Buffer.from(message).toString();
          queueMicrotask(() => {
            if (open) listeners[1 - at]?.onMessage(text);
          });
        },
        close() {
          if (!open) return;
          open = false;
          for (const each of listeners) each.onClose();
        },
      };
    };
  return [end(0), end(1)];
}
