export { filesystemPack } from "./filesystem/pack.ts";
export { gitPack } from "./git/pack.ts";
export { memoryPack } from "./memory/pack.ts";
export { vaultPack } from "./vault/pack.ts";
export { webPack } from "./web/pack.ts";
export { workspacePack } from "./workspace/pack.ts";
