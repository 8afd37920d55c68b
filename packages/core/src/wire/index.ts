export { executeTool } from "./execute/execute.ts";
export { ChannelConnection } from "./mcp/channel.ts";
export { Endpoint } from "./mcp/endpoint.ts";
export { EpisodeResolver } from "./mcp/episode-resolver.ts";
export { answerMessage } from "./mcp/exchange.ts";
export { OpenEnvSocket } from "./openenv/socket.ts";
export { serve } from "./serve.ts";
export { checkServed } from "./check-served.ts";
