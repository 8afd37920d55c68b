export { loadSkills } from "./load-skills.ts";
export { openSkills } from "./open-skills.ts";
export type { LoadedSkill, OfferedSkill, SkillHost } from "./open-skills.ts";
