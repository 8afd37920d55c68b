/** Where an error keeps what another server answered, so that it can be passed on unchanged: a result that says it failed. */
export const foreignFailure = "result";

/** The same for an error of the protocol: its code, message and data. */
export const foreignFault = "fault";
