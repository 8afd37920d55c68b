import type { Client } from "@biplane/core/client";
import { takeInventory } from "@biplane/core/internal";
import { firstLine, signature } from "../target/signature.ts";
import { cleanLine, cleanText } from "../terminal/clean-text.ts";
import { label } from "../terminal/label.ts";

/** Everything that a server offers, as text. */
export async function summary(client: Client): Promise<string> {
  const { tools, resources, templates, prompts } = await takeInventory(client);
  const { serverInfo, protocolVersion, era, instructions } = client;
  const title = cleanLine(`${label(serverInfo["name"])} ${label(serverInfo["version"])}`);
  const sections = [
    section(
      "Tools",
      tools.map((tool) => [signature(tool), firstLine(tool.description)]),
    ),
    section(
      "Resources",
      [...resources, ...templates].map((each) => [
        cleanLine(label(each["uri"] ?? each["uriTemplate"])),
        firstLine(each.description ?? each.name),
      ]),
    ),
    section(
      "Prompts",
      prompts.map(({ name, arguments: expected = [], description }) => [
        cleanLine(`${name}(${expected.map((each) => `${each.name}${each.required ? "" : "?"}`).join(", ")})`),
        firstLine(description),
      ]),
    ),
  ];
  const about = instructions === undefined ? [] : [cleanText(instructions.trim())];
  return [`${title}\nMCP ${protocolVersion} (${era})`, ...about, ...sections.filter((each) => each !== "")].join(
    "\n\n",
  );
}

function section(label: string, rows: readonly (readonly [string, string])[]): string {
  if (rows.length === 0) return "";
  const lines = rows.map(([name, about]) => `  ${name}${about === "" ? "" : `\n      ${about}`}`);
  return `${label} (${rows.length})\n${lines.join("\n")}`;
}
