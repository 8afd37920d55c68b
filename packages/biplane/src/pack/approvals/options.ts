import { optionsOf } from "../shared/options.ts";

/** No options: the runtime provides the queue and the public URL. */
export const approvalsOptions = optionsOf({}, {});
