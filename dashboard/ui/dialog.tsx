import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { Button, Form } from './controls.tsx';
import { TextField } from './fields.tsx';

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
  useEffect(() => {
    const dialog = element.current;
    dialog?.showModal();
    return () => dialog?.close();
  }, []);
  return (
    <dialog
      ref={element}
      class={wide ? 'wide' : ''}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <header>
        <h2 id={id}>{title}</h2>
        <Button kind="bare" label="Close" onClick={onClose}>
          ×
        </Button>
      </header>
      {children}
    </dialog>
  );
}

interface ConfirmProps {
  title: string;
  /** The text that the person must type to confirm. */
  phrase: string;
  submit: string;
  onConfirm: () => Promise<unknown>;
  onClose: () => void;
  children: ComponentChildren;
}

/** Asks the person to type a name before something is deleted permanently. */
export function ConfirmByTyping({ title, phrase, submit, onConfirm, onClose, children }: ConfirmProps) {
  const [typed, setTyped] = useState('');
  return (
    <Dialog title={title} onClose={onClose}>
      {children}
      <Form submit={submit} disabled={typed !== phrase} onSubmit={onConfirm} onCancel={onClose}>
        <TextField label={`Type ${phrase} to confirm`} value={typed} onInput={setTyped} mono autofocus />
      </Form>
    </Dialog>
  );
}
