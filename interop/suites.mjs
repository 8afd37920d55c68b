// The suites: what to install, and the script that runs. Suites with the same packages share them.
const gymnasium = ["gymnasium[box2d]==1.4.0", "websockets==16.0"];

export const suites = [
  { name: "openenv-core 0.2.3", script: "openenv_clients.py", packages: ["openenv-core==0.2.3"] },
  { name: "openenv 0.3.1", script: "openenv_clients.py", packages: ["openenv==0.3.1"] },
  { name: "openenv 0.4.2", script: "openenv_clients.py", packages: ["openenv==0.4.2"] },
  { name: "openenv 0.10.0", script: "openenv_clients.py", packages: ["openenv==0.10.0"] },
  { name: "openenv 0.10.0 package", script: "openenv-package.mjs", packages: ["openenv==0.10.0"] },
  { name: "eval-protocol 0.3.33", script: "eval_protocol_client.py", packages: ["eval-protocol==0.3.33", "mcp<2"] },
  { name: "trl 1.16.0", script: "trl_trainer.py", packages: ["trl==1.16.0", "openenv==0.10.0"], fetchSeconds: 420 },
  { name: "openreward 0.1.167", alias: "ors", script: "ors.mjs", packages: ["openreward==0.1.167"] },
  {
    name: "trl 1.16.0 with openreward",
    alias: "ors",
    script: "trl-ors.mjs",
    packages: ["trl==1.16.0", "openreward==0.1.167"],
    fetchSeconds: 420,
  },
  {
    name: "nemo-gym 0.7.0",
    script: "nemo-gym.mjs",
    packages: nemoGymNeeds(),
    anyPython: ["nemo-gym==0.7.0"],
    fetchSeconds: 420,
  },
  {
    name: "trl 1.16.0 data",
    script: "trl-data.mjs",
    packages: ["trl==1.16.0", "openenv==0.10.0"],
    fetchSeconds: 420,
  },
  { name: "mcp 1.30.0", script: "mcp_clients.py", packages: ["mcp==1.30.0"] },
  { name: "mcp 2.3.0", script: "mcp_clients.py", packages: ["mcp==2.3.0"] },
  { name: "openai-agents 0.24.0", script: "openai_agents_client.py", packages: ["openai-agents==0.24.0"] },
  { name: "openai-agents-js 0.20.0", script: "openai-agents.mjs", npm: ["@openai/agents@0.20.0", "zod@4"] },
  {
    name: "langchain-mcp-adapters 0.3.2",
    script: "langchain_client.py",
    packages: ["langchain-mcp-adapters==0.3.2"],
  },
  { name: "pydantic-ai 2.66.0", script: "pydantic_ai_client.py", packages: ["pydantic-ai-slim[mcp]==2.66.0"] },
  { name: "smolagents 1.26.0", script: "smolagents_client.py", packages: ["smolagents[mcp]==1.26.0", "mcp<2"] },
  { name: "fastmcp 4.1.2", script: "fastmcp_client.py", packages: ["fastmcp==4.1.2"] },
  { name: "ai-sdk-mcp 1.0.101", script: "ai-sdk.mjs", npm: ["@ai-sdk/mcp@1.0.101", "zod@4"] },
  { name: "datasets 5.2.0", script: "datasets.mjs", packages: ["datasets==5.2.0"] },
  {
    name: "opentelemetry 2.12.0",
    script: "opentelemetry.mjs",
    npm: [
      "@opentelemetry/api@1.9.0",
      "@opentelemetry/sdk-trace-node@2.12.0",
      "@opentelemetry/exporter-trace-otlp-http@0.223.0",
      "@opentelemetry/sdk-metrics@2.12.0",
      "@opentelemetry/exporter-metrics-otlp-http@0.223.0",
    ],
  },
  { name: "wandb 0.31.0", script: "trackers.mjs", packages: ["wandb==0.31.0"] },
  { name: "mlflow 3.17.2", script: "trackers.mjs", packages: ["mlflow==3.17.2"] },
  { name: "gymnasium 1.4.0", script: "lunar-lander.mjs", packages: gymnasium },
  { name: "gymnasium 1.4.0 env", script: "gymnasium_env.py", packages: gymnasium },
  {
    name: "verifiers 0.4.0",
    script: "verifiers.mjs",
    packages: ["verifiers[openenv]==0.4.0"],
    python: "3.11",
    runSeconds: 480,
  },
  {
    name: "inspect-ai 0.3.285",
    script: "inspect-ai.mjs",
    packages: ["inspect-ai==0.3.285", "mcp==1.30.0", "openai==3.4.0"],
    python: "3.11",
  },
  { name: "harbor 0.24.0", script: "harbor.mjs", packages: ["harbor==0.24.0", "mcp==1.30.0"], python: "3.12" },
  replicated("openenv 0.10.0", ["openenv==0.10.0"]),
  replicated("eval-protocol 0.3.33", ["eval-protocol==0.3.33", "mcp<2"]),
  replicated("mcp 2.3.0", ["mcp==2.3.0"]),
  {
    name: "inspector 2.12.0",
    script: "inspector.mjs",
    npm: ["@modelcontextprotocol/inspector@2.12.0", ...newerNode()],
  },
];

/** A suite that plays at three servers while they die. It uses the packages of another suite. */
function replicated(client, packages) {
  return { name: `${client} replicas`, script: "replicas.py", packages, needsReplicas: true };
}

/** What NeMo Gym's servers and its session check import. It asks for Python 3.13.14, and these parts run with 3.11. */
function nemoGymNeeds() {
  const web = ["fastapi", "uvicorn", "httptools", "uvloop", "httpx", "aiohttp>=3.14.4", "itsdangerous", "requests"];
  const data = ["pydantic", "orjson", "pandas", "scipy", "hydra-core", "omegaconf", "rich", "tqdm", "wandb"];
  return [
    ...web,
    ...data,
    "openai==2.44.0",
    "anyio>=4.15.1",
    "mcp<2,>=1.28.1",
    "ray>=2.58.0",
    "devtools",
    "yappi",
    "pydot",
  ];
}

/** The Inspector needs Node 22.19. If this one is older, uses the one from npm. */
function newerNode() {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if (major > 22 || (major === 22 && minor >= 19)) return [];
  return [`node-${process.platform === "win32" ? "win" : process.platform}-${process.arch}@24`];
}
