export { connect } from "./connect.ts";
export type { Client } from "./client.ts";
export type { Answers, QuestionContext } from "./answers.ts";
export type { CatalogChange } from "../server/catalog.ts";
export type { ConnectOptions, ServerLogMessage, ProcessTarget, Progress } from "./options.ts";
export type { ReconnectOptions, RequestOptions, Target } from "./options.ts";
export type { CallResult, Interceptor, OutgoingCall } from "./intercept.ts";
export { cache, cachedKey } from "./cache.ts";
export type { CacheOptions } from "./cache.ts";
export { logging } from "./logging.ts";
export type { RequestLogEntry } from "./logging.ts";
export { timing, timingKey } from "./timing.ts";
export type { CompletionResult, PromptInfo, PromptResult, ReadResult, ResourceContents } from "./results.ts";
export type { ResourceInfo, ResourceTemplateInfo, SkillInfo, ToolInfo, ToolResult } from "./results.ts";
export { readToolError } from "./results.ts";
export { idJag } from "./auth/id-jag.ts";
export type { IdJagOptions } from "./auth/id-jag.ts";
export { workloadIdentity } from "./auth/workload-identity.ts";
export type { WorkloadIdentityOptions } from "./auth/workload-identity.ts";
export { memoryTokenStore } from "./auth/token-store.ts";
export type { TokenRecord, TokenStore } from "./auth/token-store.ts";
export type { Assertion, AssertionRequest, OAuthClientOptions } from "./auth/options.ts";
export type { ReadServersOptions, ServerList } from "./config/read-servers.ts";
export type { ParsedText } from "./config/parsed-text.ts";
export type { AnswerInput, InputQuestion } from "./config/inputs.ts";
export type { ServerEntry } from "./config/server-entry.ts";
export { connectAll } from "./config/connect-all.ts";
export type { ConnectAllOptions } from "./config/connect-all.ts";
export { remoteServer } from "./mount/remote-server.ts";
export type { RemoteOptions, RemoteServer } from "./mount/remote-server.ts";
export { connectEnvironment } from "./environment/connector.ts";
export type {
  ConnectEnvironmentOptions,
  EnvironmentTarget,
  ServerConfig,
  ServersConfig,
} from "./environment/connect-options.ts";
export type {
  ControlPlaneFault,
  EnvironmentClient,
  EnvironmentKind,
  EpisodeState,
  ResetOptions,
  ResetOutcome,
  StepOptions,
  StepOutcome,
  StepStatus,
} from "./environment/environment-client.ts";
export { callTool, code, listTools } from "./environment/action.ts";
export type { CallToolAction, CodeAction, EnvironmentAction, ListToolsAction } from "./environment/action.ts";
export type { Snapshot } from "../environment/snapshot.ts";
export { foreignEnvironment } from "./gym/foreign-environment.ts";
export type { ForeignEnvironmentOptions, RewardFunction, World } from "./gym/foreign-environment.ts";
export type { PlayedCall, Transcript } from "./gym/transcript.ts";
export { callFromOpenAi, callsFromOpenAi, openAiTools } from "./adapters/openai.ts";
export { anthropicTools, callFromAnthropic, callsFromAnthropic } from "./adapters/anthropic.ts";
export { toolsOf } from "./adapters/tool-source.ts";
export type { ToolSource } from "./adapters/tool-source.ts";
export { agentTool } from "./adapters/agent-tool.ts";
export type { AgentToolOptions, TaskAgent } from "./adapters/agent-tool.ts";
