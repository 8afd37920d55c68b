/** A config for a container: agents need a token from the environment, and every call is allowed. */
export const containerConfig = `auth:
  tokens:
    - id: agent
      token: \${BIPLANE_AGENT_TOKEN}
policies: []
policyDefault: allow
`;

/** The front matter by which Hugging Face knows a Space with a Dockerfile. */
export function spaceReadme(name: string, { isForTrainers }: { readonly isForTrainers: boolean }): string {
  const secrets = isForTrainers
    ? "Everybody who can open this Space can play its environments. Make it private if they should not."
    : "Set `BIPLANE_AGENT_TOKEN` under Settings, Variables and secrets. Agents send it as a bearer token.";
  return `---
title: ${JSON.stringify(name)}
sdk: docker
app_port: 8000
pinned: false
tags:
${isForTrainers ? "  - openenv\n" : ""}  - mcp-server
---

# ${name}

Agents connect to \`/mcp\`.${isForTrainers ? " Trainers use the address of the Space itself." : ""} ${secrets}

A Space without persistent storage loses its store when it restarts.
`;
}
