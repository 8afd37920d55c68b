import type { NemoGymRow } from "./rows.ts";

export interface NemoGymFilesOptions {
  /** The environment's name as a Python identifier. */
  readonly name: string;
  /** The Biplane server. */
  readonly url: string;
  /** Where the files are, from the folder in which NeMo Gym runs. */
  readonly folder: string;
  readonly split: string;
  readonly rows: readonly NemoGymRow[];
}

/** The files of a resources server for NeMo Gym: text by path. */
export function nemoGymFiles(options: NemoGymFilesOptions): Readonly<Record<string, string>> {
  return {
    "app.py": forwardingServer,
    "requirements.txt": "nemo-gym\nhttpx\n",
    [`configs/${options.name}.yaml`]: configFile(options),
    [`data/${fileName(options.split)}.jsonl`]: options.rows.map((row) => `${JSON.stringify(row)}\n`).join(""),
  };
}

function fileName(split: string): string {
  return split.replaceAll(/[^\w-]+/g, "_");
}

/** JSON text is YAML too, so it quotes every value from outside. */
function configFile({ name, url, folder, split }: NemoGymFilesOptions): string {
  const type = split === "train" || split === "validation" ? split : "example";
  return `${name}_resources_server:
  resources_servers:
    ${name}:
      entrypoint: app.py
      domain: agent
      verified: false
      description: ${JSON.stringify(`${name}, served by Biplane`)}
      biplane_url: ${JSON.stringify(url)}
${name}_simple_agent:
  responses_api_agents:
    simple_agent:
      entrypoint: app.py
      resources_server:
        type: resources_servers
        name: ${name}_resources_server
      model_server:
        type: responses_api_models
        name: policy_model
      datasets:
      - name: ${JSON.stringify(split)}
        type: ${type}
        jsonl_fpath: ${JSON.stringify(`${folder}/data/${fileName(split)}.jsonl`)}
        license: Apache 2.0
`;
}

/** NeMo Gym starts it and knows it by host and port. Biplane may be elsewhere, behind https or below a path. */
const forwardingServer = `"""Forwards every request of NeMo Gym to the Biplane server that plays the environment.

BIPLANE_URL replaces the URL of the config. BIPLANE_TOKEN is the trainer's token, if the server needs one.
"""

import os

import httpx
from fastapi import FastAPI, Request, Response

from nemo_gym.base_resources_server import BaseResourcesServerConfig, SimpleResourcesServer

FORWARDED = ("accept", "content-type", "cookie", "mcp-method", "mcp-name", "mcp-protocol-version", "mcp-session-id")


class BiplaneConfig(BaseResourcesServerConfig):
    biplane_url: str


class BiplaneResourcesServer(SimpleResourcesServer):
    config: BiplaneConfig

    def setup_webserver(self) -> FastAPI:
        return forwarding_app(os.environ.get("BIPLANE_URL", self.config.biplane_url))

    async def verify(self, body):
        raise NotImplementedError("Biplane verifies.")


def forwarding_app(url: str) -> FastAPI:
    app = FastAPI()
    token = os.environ.get("BIPLANE_TOKEN")
    own = {"authorization": f"Bearer {token}"} if token else {}
    tls = httpx.create_ssl_context()

    @app.api_route("/{path:path}", methods=["GET", "POST", "DELETE"])
    async def forward(path: str, request: Request) -> Response:
        if request.method == "GET" and path.endswith("mcp"):
            return Response(status_code=405)  # a stream without an end; MCP does without it
        base = url if path.startswith("e/") else f"{url}/nemo-gym"
        headers = {key: value for key, value in request.headers.items() if key in FORWARDED} | own
        async with httpx.AsyncClient(timeout=None, verify=tls) as client:  # with cookies of this caller only
            answer = await client.request(request.method, f"{base}/{path}", content=await request.body(), headers=headers)
        response = Response(answer.content, answer.status_code, media_type=answer.headers.get("content-type"))
        for name in ("set-cookie", "mcp-session-id", "retry-after"):
            for value in answer.headers.get_list(name):
                response.headers.append(name, value)
        return response

    return app


if __name__ == "__main__":
    BiplaneResourcesServer.run_webserver()
`;
