import type { JSX } from "preact";
import type { ShownTool, WayAnswer } from "../../../../src/desk/contract.ts";
import { Result } from "../../apps/result.tsx";
import { Outcome } from "../../components/badge.tsx";
import { Code } from "../../components/code.tsx";
import { CopyButton } from "../../components/copy.tsx";
import { JsonDiff } from "../../components/diff.tsx";
import { Card } from "../../components/page.tsx";
import { Duration } from "../../components/time.tsx";
import { plural } from "../../format.ts";
import { approvalIn } from "./approval-in.ts";
import { CallLink } from "./call-link.tsx";
import { Comparison, isSame } from "./comparison.tsx";
import type { MadeCall } from "./use-call.ts";
import { Waiting } from "./waiting.tsx";
import { wayTitles } from "./ways.tsx";

interface AnswersProps {
  readonly tool: ShownTool;
  readonly made: MadeCall;
  readonly isBusy: boolean;
  readonly onAgain: () => void;
  /** An app has made a step. */
  readonly onStep: () => void;
}

/** What came of a call: by one way, or by several side by side. */
export function Answers(props: AnswersProps): JSX.Element {
  const { made, isBusy } = props;
  const { answers } = made;
  const [first] = answers;
  const waiting = answers.find(({ outcome }) => outcome === "APPROVAL_PENDING");
  return (
    <div class="stack" aria-busy={isBusy}>
      {waiting && <Waiting id={approvalIn(waiting.received)} isBusy={isBusy} onAgain={props.onAgain} />}
      {answers.length > 1 && <Comparison answers={answers} />}
      {first && (answers.length === 1 || isSame(answers)) && (
        <Card
          title={answers.length > 1 ? "The result, the same by every way" : <OneTitle answer={first} />}
          actions={answers.length === 1 && <CallLink answer={first} />}
        >
          <OneResult {...props} answer={first} />
        </Card>
      )}
      <div class="tools-wires">
        {answers.map((answer) => (
          <Wire key={answer.way} {...props} answer={answer} />
        ))}
      </div>
    </div>
  );
}

function OneTitle({ answer }: { readonly answer: WayAnswer }): JSX.Element {
  return (
    <span class="row">
      Answer by {wayTitles[answer.way]} <Outcome value={answer.outcome} />
      <span class="muted small">
        <Duration ms={answer.durationMs} />
      </span>
    </span>
  );
}

function OneResult({ tool, made, answer, onStep }: AnswersProps & { readonly answer: WayAnswer }): JSX.Element {
  const { wish } = made;
  if (!answer.result) return <p class="muted">There is no result: see what was received.</p>;
  const app = tool.app && { uri: tool.app.uri, tool, input: wish.input, onCall: onStep };
  return <Result key={answer.call} result={answer.result} server={tool.server} episode={wish.episode} app={app} />;
}

/** One way: what went over the wire, and where it came to something else than the first, in what. */
function Wire(props: AnswersProps & { readonly answer: WayAnswer }): JSX.Element {
  const { answer, made } = props;
  const { answers } = made;
  const [first = answer] = answers;
  const isAlone = answers.length === 1;
  const isOther = !isAlone && !isSame(answers);
  return (
    <section class="tools-wire" aria-label={wayTitles[answer.way]}>
      {!isAlone && (
        <header class="row tools-wire-head">
          <h3 class="grow">{wayTitles[answer.way]}</h3>
          <Outcome value={answer.outcome} />
        </header>
      )}
      {isOther && answer.result && <Result result={answer.result} server={props.tool.server} />}
      {isOther && answer !== first && !isSame([first, answer]) && (
        <details class="app-more" open>
          <summary>Not as by {wayTitles[first.way]}</summary>
          <JsonDiff before={first.result} after={answer.result} label="What is different" />
        </details>
      )}
      <div class={isAlone ? "tools-raw tools-raw-wide" : "tools-raw"}>
        <Raw title="Sent" text={answer.sent} way={wayTitles[answer.way]} />
        <Raw title="Received" text={answer.received} way={wayTitles[answer.way]} />
      </div>
    </section>
  );
}

function Raw(props: { readonly title: string; readonly text: string; readonly way: string }): JSX.Element {
  const { title, text, way } = props;
  return (
    <div class="tools-raw-box">
      <div class="row">
        <span class="grow tools-raw-title">{title}</span>
        <span class="muted small num">{plural(text.length, "character")}</span>
        <CopyButton text={text} label={`Copy what was ${title.toLowerCase()} by ${way}`} />
      </div>
      <Code source={text} language="json" label={`${title} by ${way}`} mostLines={80} />
    </div>
  );
}
