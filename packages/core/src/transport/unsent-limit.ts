/** A peer that lets more than this many bytes pile up unread is disconnected. */
export const maxUnsentBytes = 16 * 1024 * 1024;
