import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { callApi, messageOf } from "../api.ts";
import type { ApiResponse } from "../api.ts";
import { Badge } from "../components/badge.tsx";
import { Button, LinkButton } from "../components/button.tsx";
import { Textarea } from "../components/field.tsx";
import { Icon } from "../components/icon.tsx";
import { Json, isFolded } from "../components/json.tsx";
import { ReadToEnd, UnreadNotice, useReading } from "../components/read-to-end.tsx";
import { Loading } from "../components/states.tsx";
import { Text } from "../components/text.tsx";
import { Time } from "../components/time.tsx";
import { useMutation } from "../resource.ts";
import { href, pageLocation } from "../router.ts";

type Linked = ApiResponse<"POST /api/answer-links/open">;

/**
 * One waiting call, opened by the link in a message. Opening it decides nothing: programs that preview links do that
 * too. The answer needs a tap.
 */
export function AnswerLink(): JSX.Element {
  // Read once: the address loses the token after the answer.
  const [token] = useState(pageLocation.value.path[0] ?? "");
  const [linked, setLinked] = useState<Linked>();
  const [problem, setProblem] = useState<unknown>();
  const [given, setGiven] = useState<"approve" | "reject">();
  useEffect(() => {
    document.title = "Approval · Biplane";
    callApi("POST /api/answer-links/open", { body: { token } }).then(setLinked, setProblem);
  }, []);
  return (
    <div class="answer">
      <main class="answer-box">
        {problem !== undefined ? (
          <Notice icon="warn" tone="warn" title="This link cannot be used">
            <Text value={messageOf(problem)} />
          </Notice>
        ) : given !== undefined ? (
          <Notice
            icon={given === "approve" ? "check" : "close"}
            tone={given === "approve" ? "good" : "bad"}
            title={given === "approve" ? "Approved" : "Rejected"}
          >
            {given === "approve"
              ? "The agent goes on. You can close this page."
              : "The agent gets your reason. You can close this page."}
          </Notice>
        ) : linked === undefined ? (
          <Loading rows={5} />
        ) : (
          <Question linked={linked} token={token} onAnswered={setGiven} />
        )}
      </main>
    </div>
  );
}

function Question(props: {
  readonly linked: Linked;
  readonly token: string;
  readonly onAnswered: (verdict: "approve" | "reject") => void;
}): JSX.Element {
  const { linked, token, onAnswered } = props;
  const [comment, setComment] = useState("");
  const [isCommenting, setCommenting] = useState(false);
  const reading = useReading(["input"]);
  const answer = useMutation(async (verdict: "approve" | "reject") => {
    const body = { token, verdict, ...(comment.trim() !== "" && { comment }) };
    await callApi("POST /api/answer-links/answer", { body });
    // The link is used up. Its token need not stay in the history.
    history.replaceState(null, "", href("answer"));
    onAnswered(verdict);
  });
  const {
    question,
    server,
    tool,
    input,
    subject,
    principal,
    agent,
    rules = [],
    askedAt,
    expiresAt,
    answersAs,
  } = linked;
  const covered = subject ?? input;
  return (
    <>
      <p class="answer-kicker">
        <Icon name="approvals" /> Approval needed
      </p>
      <h1>
        <Text value={question} isBlock maxLength={Infinity} />
      </h1>
      <dl class="answer-facts">
        <div>
          <dt>Tool</dt>
          <dd class="mono">
            <Text value={tool} maxLength={128} />
          </dd>
        </div>
        <div>
          <dt>Server</dt>
          <dd>
            <Text value={server} maxLength={128} />
          </dd>
        </div>
        <div>
          <dt>Caller</dt>
          <dd>
            {principal.kind} {principal.id !== principal.kind && <Text value={principal.id} maxLength={80} />}
            {agent.agentId !== "unknown" && (
              <span class="muted">
                {" "}
                (says it is <Text value={agent.agentId} maxLength={80} />)
              </span>
            )}
          </dd>
        </div>
        {rules.length > 0 && (
          <div>
            <dt>Rule</dt>
            <dd class="row">
              {rules.map((rule) => (
                <Badge key={rule} tone="info">
                  <Text value={rule} maxLength={80} isFixed />
                </Badge>
              ))}
            </dd>
          </div>
        )}
        <div>
          <dt>Requested</dt>
          <dd>
            <Time at={askedAt} />, link expires <Time at={expiresAt} />
          </dd>
        </div>
      </dl>
      <section class="answer-input" aria-label="Input" tabIndex={0}>
        <ReadToEnd part="input" reading={reading} isFolded={isFolded(covered, treeDepth)}>
          {(isWhole) => <Json key={String(isWhole)} value={covered} depth={isWhole ? Infinity : treeDepth} />}
        </ReadToEnd>
      </section>
      {isCommenting ? (
        <Textarea
          label="Comment"
          hint="If you reject, the agent gets it as the reason."
          rows={2}
          isFocused
          value={comment}
          onInput={(value) => setComment(value.slice(0, 1000))}
        />
      ) : (
        <Button kind="quiet" size="small" icon="plus" onClick={() => setCommenting(true)}>
          Add a comment or reason
        </Button>
      )}
      {answer.error !== undefined && (
        <div class="problem" role="alert">
          <Icon name="warn" />
          <Text value={messageOf(answer.error)} />
        </div>
      )}
      <div class="answer-actions">
        <UnreadNotice reading={reading} />
        <Button kind="bad" isDisabled={answer.isBusy} onClick={() => void answer.run("reject")}>
          Reject
        </Button>
        <Button
          kind="main"
          isBusy={answer.isBusy}
          isDisabled={!reading.isDone}
          onClick={() => void answer.run("approve")}
        >
          Approve once
        </Button>
      </div>
      <p class="answer-foot">
        Your answer is recorded as <Text value={answersAs} maxLength={80} />. The link works once, for this call only.
      </p>
    </>
  );
}

function Notice(props: {
  readonly icon: "check" | "close" | "warn";
  readonly tone: "good" | "bad" | "warn";
  readonly title: string;
  readonly children: JSX.Element | string;
}): JSX.Element {
  const { icon, tone, title, children } = props;
  return (
    <div class="answer-notice" role="status">
      <span class={`answer-mark text-${tone}`}>
        <Icon name={icon} size={32} />
      </span>
      <h1>{title}</h1>
      <p class="muted">{children}</p>
      <LinkButton href={href("approvals")}>Open Biplane</LinkButton>
    </div>
  );
}

const treeDepth = 5;
