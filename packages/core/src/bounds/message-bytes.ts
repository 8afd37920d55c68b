/** Default limit for the size of one message, in either direction. */
export const defaultMaxBytes = 4 * 1024 * 1024;
