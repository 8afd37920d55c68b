import { Shares } from "../call/shares.ts";

/** Every connection takes some kB, and up to 17 MB while its peer does not read. */
export const openSockets = new Shares("WebSocket connections", { perCaller: 64, total: 16_384 });
