import type { Client } from "./client.ts";
import { isRecord } from "../is-record.ts";
import { skillsExtension } from "../protocol/protocol.ts";
import type { PromptInfo, ResourceInfo, ResourceTemplateInfo, SkillInfo, ToolInfo } from "./results.ts";

/** Everything that a server lists. */
export interface Inventory {
  readonly tools: readonly ToolInfo[];
  readonly resources: readonly ResourceInfo[];
  readonly templates: readonly ResourceTemplateInfo[];
  readonly prompts: readonly PromptInfo[];
  readonly skills: readonly SkillInfo[];
}

/** Requests every list that the server declares a capability for. */
export async function takeInventory(client: Client): Promise<Inventory> {
  const has = (name: string) => client.capabilities[name] !== undefined;
  const { extensions } = client.capabilities;
  const hasSkills = isRecord(extensions) && isRecord(extensions[skillsExtension]);
  const none = async () => [];
  const [tools, resources, templates, prompts, skills] = await Promise.all([
    has("tools") ? client.listTools() : none(),
    has("resources") ? client.listResources() : none(),
    has("resources") ? client.listResourceTemplates().catch(none) : none(),
    has("prompts") ? client.listPrompts() : none(),
    hasSkills ? client.listSkills() : none(),
  ]);
  return { tools, resources, templates, prompts, skills };
}
