import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { callApi } from "../../api.ts";
import { Button } from "../../components/button.tsx";
import { Problem } from "../../components/states.tsx";
import { Text } from "../../components/text.tsx";
import { toast } from "../../components/toast.tsx";
import { useMutation } from "../../resource.ts";

/** Sends a test message to a notification target, and shows what became of it. */
export function TestTarget({ name }: { readonly name: string }): JSX.Element {
  const [error, setError] = useState<string | null>(null);
  const test = useMutation(async () => {
    const result = await callApi("POST /api/notifications/:name/test", { name });
    setError(result.error);
    if (result.status === "sent") toast(`Sent a test message to ${name}`);
  });
  return (
    <div class="approvals-test">
      <Button size="small" isBusy={test.isBusy} label={`Send test to ${name}`} onClick={() => void test.run()}>
        Send test
      </Button>
      {error !== null && (
        <span class="small text-bad" role="alert">
          <Text value={error} maxLength={300} />
        </span>
      )}
      {test.error !== undefined && <Problem error={test.error} />}
    </div>
  );
}
