import type { ComponentChildren, JSX } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { useMutation } from "../resource.ts";
import type { Mutation } from "../resource.ts";
import { Button } from "./button.tsx";
import { Problem } from "./states.tsx";
import { toast } from "./toast.tsx";

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
  /** Buttons in the footer, primary button last. */
  readonly actions?: ComponentChildren;
  readonly width?: "narrow" | "usual" | "wide";
}

/** Open while rendered: `{isOpen && <Dialog …/>}`. The browser traps the focus; Esc closes it. */
export function Dialog(props: DialogProps): JSX.Element {
  return <Modal {...props} kind="dialog" />;
}

/** A dialog at the right edge, for the details of a list item while the list stays visible. */
export function Drawer(props: DialogProps): JSX.Element {
  return <Modal {...props} kind="drawer" />;
}

function Modal(props: DialogProps & { readonly kind: "dialog" | "drawer" }): JSX.Element {
  const { title, onClose, children, actions, width = "usual", kind } = props;
  const { dialog, ...handlers } = useModal(onClose);
  const id = useId();
  return (
    <dialog ref={dialog} {...handlers} class={`${kind} ${kind}-${width}`} aria-labelledby={id}>
      <div class="dialog-box">
        <header class="dialog-head">
          <h2 id={id}>{title}</h2>
          <Button kind="quiet" size="small" icon="close" label="Close" onClick={onClose} />
        </header>
        <div class="dialog-body">{children}</div>
        {actions !== undefined && <footer class="dialog-foot">{actions}</footer>}
      </div>
    </dialog>
  );
}

/** Opens a dialog while it is rendered. Esc and a click outside of it call `onClose`. */
export function useModal(onClose: () => void) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return {
    dialog,
    onCancel: (event: Event) => {
      // The parent closes the dialog by not rendering it.
      event.preventDefault();
      onClose();
    },
    onPointerDown: (event: Event) => event.target === dialog.current && onClose(),
  };
}

/** A dialog with a form: a button that sends it, one that cancels, and the error if it fails. */
export function FormDialog(
  props: Omit<DialogProps, "actions"> & {
    readonly action: string;
    readonly mutation: Pick<Mutation<void, unknown>, "run" | "isBusy" | "error">;
    readonly kind?: "main" | "bad";
    readonly isReady?: boolean;
    /** The distance between the fields (default: that of forms). */
    readonly class?: "stack" | "stack-tight";
    /** Enter sends the form, too. */
    readonly isSentByEnter?: boolean;
  },
): JSX.Element {
  const { action, mutation, kind = "main", isReady = true, isSentByEnter = false, children, ...dialog } = props;
  const { run, isBusy, error } = mutation;
  return (
    <Dialog
      {...dialog}
      actions={
        <>
          <Button onClick={props.onClose}>Cancel</Button>
          <Button kind={kind} isBusy={isBusy} isDisabled={!isReady} onClick={() => void run()}>
            {action}
          </Button>
        </>
      }
    >
      <form
        class={props.class ?? "form"}
        onSubmit={(event) => {
          event.preventDefault();
          if (isSentByEnter && isReady && !isBusy) void run();
        }}
      >
        {children}
        {error !== undefined && <Problem error={error} />}
        {isSentByEnter && <button type="submit" class="hidden" tabIndex={-1} aria-hidden="true" disabled={!isReady} />}
      </form>
    </Dialog>
  );
}

/** Shows once what was just made, until it is closed. */
export function DoneDialog(props: Pick<DialogProps, "title" | "onClose" | "children">): JSX.Element {
  const { title, onClose, children } = props;
  return (
    <Dialog
      title={title}
      onClose={onClose}
      actions={
        <Button kind="main" onClick={onClose}>
          Done
        </Button>
      }
    >
      <div class="stack-tight">{children}</div>
    </Dialog>
  );
}

/** Confirms an irreversible action, runs it, and shows the error if it fails. With `done`, it says so and closes. */
export function Confirm(props: {
  readonly title: string;
  readonly action: string;
  readonly children: ComponentChildren;
  readonly run: () => Promise<unknown>;
  /** Says that it is done. Without it, `run` closes the dialog. */
  readonly done?: string;
  readonly onDone?: () => void;
  readonly onClose: () => void;
}): JSX.Element {
  const { title, action, children, run, done, onDone, onClose } = props;
  const mutation = useMutation(async () => {
    await run();
    if (done === undefined) return;
    toast(done);
    onClose();
    onDone?.();
  });
  return (
    <FormDialog
      title={title}
      width="narrow"
      class="stack-tight"
      kind="bad"
      action={action}
      mutation={mutation}
      onClose={onClose}
    >
      <p>{children}</p>
    </FormDialog>
  );
}
