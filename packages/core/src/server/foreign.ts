/** Key in `details` for another server's failed tool result, which is passed on unchanged. */
export const foreignFailure = "result";

/** Key in `details` for another server's protocol error: its code, message and data. */
export const foreignFault = "fault";
