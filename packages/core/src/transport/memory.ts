import type { Channel, ChannelListener } from "./channel.ts";

/** One end of an in-process pipe: takes a listener, returns the channel to the other end. */
export type MemoryEnd = (listener: ChannelListener) => Channel;

/** An in-process pipe. Messages arrive in order, in a later microtask. */
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
            if (open) void listeners[1 - at]?.onMessage(text);
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
