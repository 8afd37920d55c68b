import type { JSX } from "preact";
import { Code } from "../src/components/code.tsx";
import { Snippet } from "../src/components/copy.tsx";
import { Diff, JsonDiff } from "../src/components/diff.tsx";
import { Json } from "../src/components/json.tsx";
import { Card } from "../src/components/page.tsx";
import { Text } from "../src/components/text.tsx";

/** Text that a hostile tool might return. */
const hostile = [
  "<img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>",
  "\u001b[31mred\u001b[0m \u001b]0;title\u0007 bell\u0000nul",
  "safe\u202Egnp.exe\u202C and \u2066isolated\u2069 and zero\u200Bwidth",
  "the token is [REDACTED:GITHUB_TOKEN] and [REDACTED]",
  `zalgo ${"h\u0336\u0322\u0321\u0489".repeat(30)}`,
  "שלום, this is a mix of directions ",
  `a very long one ${"lorem ipsum ".repeat(2000)}`,
];

const source = `# Sums the paid orders
def main(customer, days = 30):
    """Long
    text"""
    total = 0.5
    for order in orders(customer, since = "2026-01-01"):
        if order["paid"] and not order["refunded"]:
            total += order["amount"]  # in cents
    return {"total": total, "note": "it's fine"}
`;

export function Texts(): JSX.Element {
  return (
    <div class="split">
      <Card title="Untrusted text">
        <ul class="stack-tight" id="hostile">
          {hostile.map((text) => (
            <li key={text}>
              <Text value={text} />
            </li>
          ))}
        </ul>
      </Card>
      <Card title="JSON">
        <Json
          copyLabel="Copy the input"
          value={{
            customerId: "ada",
            amount: 12.5,
            isUrgent: true,
            note: null,
            token: "[REDACTED:GITHUB_TOKEN]",
            html: hostile[0],
            escape: hostile[1],
            nested: { list: [1, 2, { deep: { deeper: "x" } }], empty: [], nothing: {} },
            long: "x".repeat(3000),
            many: Array.from({ length: 250 }, (_, at) => at),
          }}
        />
      </Card>
      <Card title="Code" isFlush>
        <Code source={source} language="starlark" label="A script" isNumbered />
      </Card>
      <Card title="Text diff" isFlush>
        <Diff before={source} after={source.replace("30", "90").replace("and not order", "or order")} label="Changes" />
      </Card>
      <Card title="JSON diff" isFlush>
        <JsonDiff before={{ amount: 50, id: "ada" }} after={{ id: "ada", amount: 500, note: "new" }} label="Values" />
      </Card>
      <Card title="Snippet">
        <Snippet
          text={'curl -s http://127.0.0.1:8000/mcp/execute \\\n  -d \'{"tool":"x"}\''}
          language="shell"
          label="curl"
        />
      </Card>
    </div>
  );
}
