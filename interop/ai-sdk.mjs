// Vercel's AI SDK.
import { importDownloaded, runSdk } from "./sdk-checks.mjs";

const { createMCPClient } = await importDownloaded("@ai-sdk/mcp");

await runSdk(async (url) => {
  const client = await createMCPClient({ transport: { type: "http", url } });
  let tools = {};
  return {
    list: async () => {
      tools = await client.tools();
      return Object.keys(tools);
    },
    call: async (name, input) => {
      const result = await tools[name].execute(input, { toolCallId: "1", messages: [] });
      const text = result.content.map((part) => part.text ?? "").join("");
      return { text, value: result.structuredContent, isError: result.isError === true };
    },
    close: () => client.close(),
  };
});
