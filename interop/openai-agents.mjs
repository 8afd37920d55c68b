// OpenAI's Agents SDK for JavaScript.
import { importDownloaded, runSdk } from "./sdk-checks.mjs";

const { MCPServerStreamableHttp } = await importDownloaded("@openai/agents");

await runSdk(async (url) => {
  const server = new MCPServerStreamableHttp({ url, name: "biplane" });
  await server.connect();
  return {
    list: async () => (await server.listTools()).map(({ name }) => name),
    call: async (name, input) => {
      // It returns only the content, as the model gets it.
      const content = await server.callTool(name, input);
      const text = content.map((part) => part.text ?? "").join("");
      return { text, isError: text.startsWith("Error: ") };
    },
    close: () => server.close(),
  };
});
