import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { t } from '../../texts/index.ts';
import { Button, Form, IconButton } from '../controls.tsx';
import { TextField } from '../fields.tsx';

interface DialogProps {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
  wide?: boolean;
}

/** A modal dialog. The browser traps the focus, closes the dialog on Escape and restores the focus. */
export function Dialog({ title, onClose, children, wide }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    const dialog = element.current;
    if (!dialog) return;
    show(dialog);
    return () => dialog.close();
  }, []);
  return (
    <dialog
      ref={element}
      class={wide ? 'wide' : ''}
      aria-labelledby={id}
      tabIndex={-1}
      onCancel={(event) => {
        // A file chooser inside that is closed without a file sends this event too.
        if (event.target !== event.currentTarget) return;
        event.preventDefault();
        onClose();
      }}
      onClose={({ currentTarget }) => {
        // On the second Escape in a row, browsers close all dialogs without asking. What was typed must stay.
        if (!currentTarget.isConnected || currentTarget.open) return;
        onClose();
        requestAnimationFrame(() => show(currentTarget));
      }}
    >
      <header>
        <h2 id={id}>{title}</h2>
        <IconButton icon="close" label={t('Close')} onClick={onClose} />
      </header>
      {children}
    </dialog>
  );
}

/** Focuses the field that wants it, or nothing: a space that is typed too early must not press the cross. */
function show(dialog: HTMLDialogElement): void {
  if (dialog.open || !dialog.isConnected) return;
  const outer = dialog.parentElement?.closest('dialog');
  if (outer) show(outer);
  dialog.showModal();
  // The one that was shown last is on top.
  for (const inner of dialog.querySelectorAll<HTMLDialogElement>('dialog[open]')) {
    inner.close();
    inner.showModal();
  }
  if (!dialog.querySelector('[autofocus]')) dialog.focus();
}

interface ConfirmDialogProps extends DialogProps {
  /** What the button says that does it. */
  action: string;
  onConfirm: () => unknown;
}

/** Asks before something is done that cannot be undone. */
export function ConfirmDialog({ action, onConfirm, onClose, children, ...rest }: ConfirmDialogProps) {
  return (
    <Dialog {...rest} onClose={onClose}>
      {children}
      <div class="actions">
        <Button kind="danger" onClick={onConfirm}>
          {action}
        </Button>
        <Button kind="quiet" onClick={onClose}>
          {t('Cancel')}
        </Button>
      </div>
    </Dialog>
  );
}

interface ConfirmByTypingProps {
  title: string;
  /** The text that the person must type to confirm. */
  phrase: string;
  submit: string;
  onConfirm: () => Promise<unknown>;
  onClose: () => void;
  children: ComponentChildren;
}

/** Asks the person to type a name before something is deleted permanently. */
export function ConfirmByTyping({
  title,
  phrase,
  submit,
  onConfirm,
  onClose,
  children,
}: ConfirmByTypingProps) {
  const [typed, setTyped] = useState('');
  return (
    <Dialog title={title} onClose={onClose}>
      {children}
      <Form submit={submit} disabled={typed !== phrase} onSubmit={onConfirm} onCancel={onClose} isDanger>
        <TextField
          label={t('Type {phrase} to confirm', { phrase })}
          value={typed}
          onInput={setTyped}
          mono
          autofocus
        />
      </Form>
    </Dialog>
  );
}
