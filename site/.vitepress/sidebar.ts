import type { DefaultTheme } from "vitepress";

/** The pages of docs/ in the order in which a newcomer reads them. Every page must be here; a test checks it. */
export const guide: readonly Section[] = [
  {
    text: "Start",
    pages: {
      overview: "Overview",
      tour: "Tour",
      "tutorial-customer-support": "Tutorial: customer support",
      testing: "Testing",
      glossary: "Glossary",
      comparison: "Comparison",
    },
  },
  {
    text: "Tools and servers",
    pages: {
      tools: "Tools",
      servers: "Servers",
      apps: "Apps",
      skills: "Skills",
      scripts: "Scripts",
      code: "Code execution",
      client: "Client",
      composition: "Composition and gateway",
      install: "Desktop hosts",
      protocols: "Protocols",
      discovery: "Discovery and registry",
    },
  },
  {
    text: "Environments and training",
    pages: {
      environments: "Environments",
      "rubrics-and-tasks": "Rubrics, tasks, pass rates",
      "environment-client": "Environment client",
      rollouts: "Rollouts",
      recordings: "Recordings",
      failures: "Failures and masking",
      workers: "Workers and schedules",
      trainers: "Trainers and agent SDKs",
      "train-with-trl": "TRL",
      "train-with-openreward": "OpenReward",
      "train-with-nemo-gym": "NeMo Gym",
      "evaluate-with-eval-protocol": "Eval Protocol",
      "trainer-packages": "verifiers, Inspect AI, Harbor, Gymnasium",
      "broadband-support": "Built in: broadband support",
      tau2: "Built in: tau2",
    },
  },
  {
    text: "Governance",
    pages: {
      governance: "Approvals, secrets, audit",
      policies: "Policies and hooks",
      notifications: "Notifications",
      access: "Access",
      identity: "Identity",
    },
  },
  {
    text: "Operate",
    pages: {
      deploy: "Deployment",
      store: "Store",
      observability: "Observability",
      limits: "Limits",
      benchmarks: "Benchmarks",
    },
  },
  {
    text: "Packs",
    pages: {
      "packs/workspace": "workspace",
      "packs/memory": "memory",
      "packs/vault": "vault",
      "packs/filesystem": "filesystem",
      "packs/git": "git",
      "packs/web": "web",
      "packs/github": "github",
      "packs/openapi": "openapi",
      "packs/chat": "chat",
      "packs/calendar": "calendar",
      "packs/browser": "browser",
      "packs/repl": "repl",
      "packs/script": "script",
    },
  },
  {
    text: "Reference",
    pages: {
      config: "Config file",
      api: "Admin API",
      "reference/index": "TypeScript API",
      designs: "Designs that Biplane combines",
      changelog: "Changelog",
      security: "Security",
    },
  },
];

interface Section {
  readonly text: string;
  /** Titles by path. */
  readonly pages: Readonly<Record<string, string>>;
}

export const sidebar: DefaultTheme.SidebarItem[] = guide.map(({ text, pages }) => ({
  text,
  collapsed: text === "Packs",
  items: Object.entries(pages).map(([path, title]) => ({ text: title, link: `/${path.replace(/index$/, "")}` })),
}));
