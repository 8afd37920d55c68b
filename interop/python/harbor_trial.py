"""Runs trials of Harbor without containers: harbor_trial.py TASKS FOLDER MOVES BIPLANE

Each service of a task is a folder, and its commands run on this machine. TASKS is JSON, a list of task folders, MOVES
is [[tool, input], …], BIPLANE the words that start our program. Prints the result of each trial. A move "kill" ends the
service of the environment.
"""

import asyncio
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import socket
import sys
import time
import urllib.request

import yaml
from harbor.agents.base import BaseAgent
from harbor.agents.capabilities import AgentCapabilities
from harbor.environments.base import BaseEnvironment, ExecResult
from harbor.environments.capabilities import EnvironmentCapabilities
from harbor.models.trial.config import AgentConfig, EnvironmentConfig, TaskConfig, TrialConfig
from harbor.trial.trial import Trial
from mcp import ClientSession
from mcp.client.streamable_http import streamablehttp_client

if __name__ == "__main__":
    sys.modules["harbor_trial"] = sys.modules["__main__"]  # Harbor imports the two classes by name


class FolderEnvironment(BaseEnvironment):
    """A container is a folder; paths of the container are in it."""

    @staticmethod
    def type():
        return "folders"

    @property
    def capabilities(self):
        return EnvironmentCapabilities(docker_compose=True)

    def _validate_definition(self):
        pass

    async def start(self, force_build):
        self.root = pathlib.Path(sys.argv[2]) / self.session_id
        self.server = None
        self._build(self.environment_dir / "Dockerfile")
        compose = self.environment_dir / "docker-compose.yaml"
        if compose.exists():
            await self._start_server(yaml.safe_load(compose.read_text())["services"]["biplane"]["command"])

    async def _start_server(self, command):
        self.address, self.control = free_address(), free_address()
        assert command[:2] == ["npx", "biplane"], command
        words = [*json.loads(sys.argv[4]), *command[2:], "--url", self.address, "--control", self.control]
        self.server = await asyncio.create_subprocess_exec(*words, stdin=asyncio.subprocess.DEVNULL, stdout=sys.stderr)
        for _ in range(600):
            try:
                urllib.request.urlopen(f"{self.control}/health", timeout=1).close()
                return
            except OSError:
                await asyncio.sleep(0.1)
        raise TimeoutError("the environment did not start")

    def kill(self):
        self.server.send_signal(signal.SIGKILL)

    async def stop(self, delete):
        if self.server and self.server.returncode is None:
            self.server.terminate()
            await self.server.wait()

    def _here(self, text, service="main"):
        return re.sub(r"(?<![\w./-])/(?=(logs|tests|biplane|app)\b)", f"{self.root}/{service}/", text)

    def _build(self, dockerfile):
        """Copies what the image would have. Scripts use paths of their container."""
        for source, target in re.findall(r"^COPY (\S+) (\S+)$", dockerfile.read_text(), re.M):
            made = pathlib.Path(self._here(target))
            made.parent.mkdir(parents=True, exist_ok=True)
            made.write_text(self._here((dockerfile.parent / source).read_text()))

    async def exec(self, command, cwd=None, env=None, timeout_sec=None, user=None):
        return await self._run(self._here(command), env)

    async def service_exec(self, command, *, service=None, cwd=None, env=None, timeout_sec=None, user=None):
        if service in (None, "main"):
            return await self.exec(command, env=env)
        (self.root / service / "biplane").mkdir(parents=True, exist_ok=True)
        ours = shlex.join(json.loads(sys.argv[4]))
        if command.startswith("npx biplane "):
            command = f"{command} --control {self.control}"
        return await self._run(self._here(command, service).replace("npx biplane", ours), env)

    async def _run(self, command, env):
        self.root.mkdir(parents=True, exist_ok=True)
        process = await asyncio.create_subprocess_shell(
            command,
            env={**os.environ, **(env or {})},
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        out, err = await process.communicate()
        print(f"$ {command}\n{out.decode()}{err.decode()}", file=sys.stderr)
        return ExecResult(stdout=out.decode(), stderr=err.decode(), return_code=process.returncode)

    async def upload_file(self, source_path, target_path):
        target = pathlib.Path(self._here(str(target_path)))
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source_path, target)

    async def upload_dir(self, source_dir, target_dir):
        shutil.copytree(source_dir, self._here(str(target_dir)), dirs_exist_ok=True)

    async def download_file(self, source_path, target_path):
        shutil.copy(self._here(str(source_path)), target_path)

    async def download_dir(self, source_dir, target_dir):
        shutil.copytree(self._here(str(source_dir)), target_dir, dirs_exist_ok=True)

    async def service_download_file(self, source_path, target_path, *, service=None):
        shutil.copy(self._here(source_path, service or "main"), target_path)

    async def stop_service(self, service):
        pass


def free_address():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{free.getsockname()[1]}"


class ScriptedAgent(BaseAgent):
    """Makes the moves over the MCP server of the task, until one fails."""

    capabilities = AgentCapabilities(mcp_servers=True)

    @staticmethod
    def name():
        return "scripted"

    def version(self):
        return "1.0.0"

    async def setup(self, environment):
        pass

    async def run(self, instruction, environment, context):
        [server] = self.mcp_servers
        url = server.url.replace("http://biplane:8000", environment.address)
        try:
            async with streamablehttp_client(url) as (read, write, _), ClientSession(read, write) as session:
                await session.initialize()
                for move in json.loads(sys.argv[3]):
                    if move == "kill":
                        return environment.kill()
                    if (await session.call_tool(*move)).isError:
                        return
        except BaseExceptionGroup as error:
            print(error, file=sys.stderr)


async def play(path):
    config = TrialConfig(
        task=TaskConfig(path=path),
        trials_dir=pathlib.Path(sys.argv[2]) / "trials",
        trial_name=f"{pathlib.Path(path).name}-{time.monotonic_ns()}",
        agent=AgentConfig(import_path="harbor_trial:ScriptedAgent"),
        environment=EnvironmentConfig(import_path="harbor_trial:FolderEnvironment"),
    )
    result = await (await Trial.create(config)).run()
    return {
        "task": result.task_name,
        "rewards": result.verifier_result and result.verifier_result.rewards,
        "error": result.exception_info and result.exception_info.exception_type,
        "message": result.exception_info and result.exception_info.exception_message,
    }


async def main():
    print(json.dumps([await play(path) for path in json.loads(sys.argv[1])]))


if __name__ == "__main__":
    asyncio.run(main())
