import type { Command } from "./define.ts";

/** Every command under its heading in `biplane --help`. Commands are loaded on demand. */
export const commands: Readonly<Record<string, Readonly<Record<string, () => Promise<Command>>>>> = {
  "Get started": {
    init: async () => (await import("../init.ts")).initCommand,
    demo: async () => (await import("../demo.ts")).demoCommand,
    doctor: async () => (await import("../doctor.ts")).doctorCommand,
    completion: async () => (await import("../completion.ts")).completionCommand,
    help: async () => (await import("./help.ts")).helpCommand,
  },
  Serve: {
    serve: async () => (await import("../serve.ts")).serveCommand,
    config: async () => (await import("../config.ts")).configCommand,
    image: async () => (await import("../image.ts")).imageCommand,
    proxy: async () => (await import("../proxy.ts")).proxyCommand,
    record: async () => (await import("../record.ts")).recordCommand,
    "replay-server": async () => (await import("../replay-server.ts")).replayServerCommand,
    env: async () => (await import("../env.ts")).envCommand,
    recordings: async () => (await import("../recordings.ts")).recordingsCommand,
  },
  Try: {
    tools: async () => (await import("../tools.ts")).toolsCommand,
    call: async () => (await import("../call.ts")).callCommand,
    inspect: async () => (await import("../inspect.ts")).inspectCommand,
    app: async () => (await import("../app.ts")).appCommand,
    code: async () => (await import("../code.ts")).codeCommand,
    starlark: async () => (await import("../starlark.ts")).starlarkCommand,
  },
  Govern: {
    approvals: async () => (await import("../approvals.ts")).approvalsCommand,
    policy: async () => (await import("../policy.ts")).policyCommand,
    secrets: async () => (await import("../secrets.ts")).secretsCommand,
    scripts: async () => (await import("../scripts.ts")).scriptsCommand,
    people: async () => (await import("../people.ts")).peopleCommand,
    token: async () => (await import("../token.ts")).tokenCommand,
    audit: async () => (await import("../audit.ts")).auditCommand,
    store: async () => (await import("../store.ts")).storeCommand,
    fleet: async () => (await import("../fleet.ts")).fleetCommand,
  },
  Evaluate: {
    rollout: async () => (await import("../rollout.ts")).rolloutCommand,
    worker: async () => (await import("../worker.ts")).workerCommand,
    schedule: async () => (await import("../schedule.ts")).scheduleCommand,
    runs: async () => (await import("../runs.ts")).runsCommand,
    show: async () => (await import("../show.ts")).showCommand,
    replay: async () => (await import("../replay.ts")).replayCommand,
    compare: async () => (await import("../compare.ts")).compareCommand,
    score: async () => (await import("../score.ts")).scoreCommand,
    export: async () => (await import("../export.ts")).exportCommand,
    import: async () => (await import("../import.ts")).importCommand,
  },
  Train: {
    verifiers: async () => (await import("../verifiers.ts")).verifiersCommand,
    "inspect-ai": async () => (await import("../inspect-ai.ts")).inspectAiCommand,
    harbor: async () => (await import("../harbor.ts")).harborCommand,
    "nemo-gym": async () => (await import("../nemo-gym.ts")).nemoGymCommand,
  },
};
