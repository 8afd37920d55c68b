import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { ScriptDetail, ScriptRun } from "../../../../packages/biplane/src/admin/scripts/script-api.ts";
import { ApiError, callApi } from "../../api.ts";
import { Outcome } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Select } from "../../components/field.tsx";
import { Json } from "../../components/json.tsx";
import { Card } from "../../components/page.tsx";
import { SchemaForm, initialValue, schemaFaults } from "../../components/schema-form/schema-form.tsx";
import { Problem } from "../../components/states.tsx";
import { Text } from "../../components/text.tsx";
import { Duration } from "../../components/time.tsx";
import { useMutation } from "../../resource.ts";
import { functionsIn, parametersOf, entryFunction } from "./parameters.ts";

/** A dry run without network and with placeholder secrets, so it needs no approval. */
export function TryScript({ script }: { readonly script: ScriptDetail }): JSX.Element {
  const { name, source, hash } = script;
  const functions = useMemo(() => functionsIn(source), [source]);
  const entry = entryFunction(source);
  const [chosen, setChosen] = useState(functions.includes(entry) ? entry : (functions[0] ?? ""));
  const schema = useMemo(() => parametersOf(source, chosen), [source, chosen]);
  const [value, setValue] = useState<unknown>(() => initialValue(schema));
  const [isTried, setTried] = useState(false);
  const [run, setRun] = useState<ScriptRun>();
  const attempt = useMutation(async () => {
    // The form makes an object.
    const body = {
      input: value as Readonly<Record<string, unknown>>,
      hash,
      ...(chosen !== "" && { function: chosen }),
    };
    try {
      setRun(await callApi("POST /api/scripts/:name/run", { name, body }));
    } catch (error) {
      if (error instanceof ApiError && error.status === 409)
        throw new Error("The script has changed since you opened it. Reload it, then try again.", { cause: error });
      throw error;
    }
  });
  return (
    <div class="stack">
      <Card title="Dry run">
        <form
          class="form"
          onSubmit={(event) => {
            event.preventDefault();
            setTried(true);
            if (Object.keys(schemaFaults(value, schema)).length === 0) void attempt.run();
          }}
        >
          <p class="muted">
            Runs in the same sandbox with the same limits, but without network. Each secret is{" "}
            <code>value-of-NAME</code>.
          </p>
          {functions.length > 1 && (
            <Select
              label="Function"
              value={chosen}
              choices={functions.slice(0, 200).map((each) => ({ value: each, title: each }))}
              onChange={(next) => {
                setChosen(next);
                setValue(initialValue(parametersOf(source, next)));
                setTried(false);
              }}
            />
          )}
          <SchemaForm key={chosen} schema={schema} value={value} onChange={setValue} areFaultsShown={isTried} />
          <div>
            <Button type="submit" icon="play" isBusy={attempt.isBusy}>
              Run
            </Button>
          </div>
          {attempt.error !== undefined && <Problem error={attempt.error} />}
        </form>
      </Card>
      {run && <RunResult run={run} />}
    </div>
  );
}

function RunResult({ run }: { readonly run: ScriptRun }): JSX.Element {
  const { outcome, result, message, durationMs } = run;
  const texts = (result?.content ?? []).flatMap(({ text }) => (typeof text === "string" ? [text] : []));
  return (
    <Card
      title="Result"
      actions={
        <>
          <Outcome value={outcome} /> <Duration ms={durationMs} />
        </>
      }
    >
      <div class="stack-tight">
        {message !== null && (
          <p class="mono text-bad">
            <Text value={message} isBlock />
          </p>
        )}
        {result?.structuredContent !== undefined ? (
          <Json value={result.structuredContent} depth={3} copyLabel="Copy the result" />
        ) : (
          texts.map((text, at) => <Text key={at} value={text} isBlock isMono />)
        )}
        {result !== null && result.structuredContent === undefined && texts.length === 0 && (
          <p class="muted">No result.</p>
        )}
      </div>
    </Card>
  );
}
