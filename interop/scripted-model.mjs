// A model behind a local OpenAI-compatible API, streamed or not. `answer` gets the messages and returns the next one:
// { content } or { call: [tool, input] }. If it returns nothing, the model dies.
import { createServer } from "node:http";
import { json } from "node:stream/consumers";

export function startModel(answer) {
  const server = createServer((request, response) => {
    if (request.method !== "POST" || !request.url.endsWith("/chat/completions"))
      return void response.writeHead(404).end("{}");
    void json(request).then(({ messages, stream }) => {
      const next = answer(messages);
      if (!next) return server.close().closeAllConnections();
      const message = messageOf(next, messages.length);
      if (stream) streamMessage(response, message);
      else sendMessage(response, message);
    });
  });
  return new Promise((resolve) => {
    const listening = () =>
      resolve({ url: `http://127.0.0.1:${server.address().port}/v1`, close: () => server.close() });
    server.listen(0, "127.0.0.1", listening).unref();
  });
}

function messageOf({ content = null, call }, number) {
  if (!call) return { role: "assistant", content };
  const [name, input] = call;
  const called = { id: `call_${number}`, type: "function", function: { name, arguments: JSON.stringify(input) } };
  return { role: "assistant", content, tool_calls: [called] };
}

const facts = { id: "scripted", created: 0, model: "scripted" };
const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };
const reasonOf = ({ tool_calls: calls }) => (calls ? "tool_calls" : "stop");

function sendMessage(response, message) {
  const choices = [{ index: 0, message, finish_reason: reasonOf(message) }];
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify({ ...facts, object: "chat.completion", choices, usage }));
}

function streamMessage(response, message) {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const send = (delta, finish_reason = null, more = {}) => {
    const choices = [{ index: 0, delta, finish_reason }];
    const chunk = { ...facts, object: "chat.completion.chunk", choices, ...more };
    response.write(`data: ${JSON.stringify(chunk)}\n\n`);
  };
  const { tool_calls: calls, ...rest } = message;
  send({ ...rest, ...(calls && { tool_calls: calls.map((call, index) => ({ index, ...call })) }) });
  send({}, reasonOf(message), { usage });
  response.end("data: [DONE]\n\n");
}
