/** A pipe of whole messages, in both directions: a child's standard streams, a socket, a pair in memory. */
export interface Channel {
  send(message: string | Uint8Array): void;
  close(): void;
}

/** The listening end of a channel. */
export interface ChannelListener {
  onMessage(text: string): void;
  /** A message was too long to be read; the channel goes on with the next one. */
  onOversize(): void;
  onClose(): void;
}
