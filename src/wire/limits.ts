/** The most that one message may weigh, unless the server says otherwise. */
export const defaultMaxBytes = 4 * 1024 * 1024;
