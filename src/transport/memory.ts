import type { Channel, ChannelListener } from "./channel.ts";

/** Two ends of a pipe in this process. What is sent on one arrives at the other, in order, a moment later. */
export function memoryChannel(): {
  connect: [(listener: ChannelListener) => Channel, (listener: ChannelListener) => Channel];
} {
  const listeners: (ChannelListener | undefined)[] = [undefined, undefined];
  let open = true;
  const end =
    (at: 0 | 1) =>
    (listener: ChannelListener): Channel => {
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
          for (const each of listeners) each?.onClose();
        },
      };
    };
  return { connect: [end(0), end(1)] };
}
