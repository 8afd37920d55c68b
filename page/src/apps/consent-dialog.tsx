import type { JSX } from "preact";
import type { ConsentRequest } from "../../../packages/core/src/app/browser/host/index.ts";
import type { JsonObject } from "../../../packages/core/src/tool/schema.ts";
import { Button } from "../components/button.tsx";
import { Dialog } from "../components/dialog.tsx";
import { Json } from "../components/json.tsx";
import { Text } from "../components/text.tsx";
import { Blocks } from "./blocks.tsx";
import type { Question } from "./use-app.ts";

/** Asks before an app acts on the user's behalf. Closing the dialog declines. */
export function ConsentDialog({ question, app }: { readonly question: Question; readonly app: string }): JSX.Element {
  const { title, action } = labels[question.request.kind];
  return (
    <Dialog
      title={title}
      width="narrow"
      onClose={() => question.answer(false)}
      actions={
        <>
          <Button onClick={() => question.answer(false)}>Don't allow</Button>
          <Button kind="main" onClick={() => question.answer(true)}>
            {action}
          </Button>
        </>
      }
    >
      <div class="stack-tight">
        <p class="muted">
          The app <Text value={app} maxLength={60} isFixed /> requests this. The app is not part of Biplane.
        </p>
        <RequestDetails request={question.request} />
      </div>
    </Dialog>
  );
}

const labels: Readonly<Record<ConsentRequest["kind"], { readonly title: string; readonly action: string }>> = {
  link: { title: "Open a link?", action: "Open in a new tab" },
  message: { title: "Send a message as you?", action: "Send" },
  tool: { title: "Call a tool?", action: "Call" },
};

function RequestDetails({ request }: { readonly request: ConsentRequest }): JSX.Element {
  switch (request.kind) {
    case "link":
      return (
        <div class="app-quote">
          <div class="strong">
            <Text value={new URL(request.url).host} />
          </div>
          <Text value={request.url} isMono />
        </div>
      );
    case "message":
      return (
        <div class="app-quote">
          <Blocks blocks={request.content as unknown as readonly JsonObject[]} />
        </div>
      );
    case "tool":
      return (
        <div class="app-quote">
          <div class="strong">
            <Text value={request.tool.name} />
          </div>
          <Json value={request.input} />
        </div>
      );
  }
}
