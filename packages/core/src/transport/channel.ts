/** A bidirectional pipe of whole messages, such as stdio, a WebSocket or a pair in memory. */
export interface Channel {
  send(message: string | Uint8Array): void;
  close(): void;
}

/** Receives the messages of a channel. */
export interface ChannelListener {
  /** While a returned promise is pending, a WebSocket hands over no further message. */
  onMessage(text: string): void | Promise<void>;
  /** A message exceeded the size limit and was dropped. The channel stays open. */
  onOversize(): void;
  onClose(): void;
}
