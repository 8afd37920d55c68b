/** The data of each event in a stream of server-sent events, as it comes. */
export async function* readEvents(response: Response): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder();
  let rest = "";
  let data: string[] = [];
  for await (const chunk of response.body ?? []) {
    rest += decoder.decode(chunk, { stream: true });
    const lines = rest.split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (line === "") {
        if (data.length > 0) yield data.join("\n");
        data = [];
      } else if (line.startsWith("data:")) data.push(line.slice(line.startsWith("data: ") ? 6 : 5));
    }
  }
}
