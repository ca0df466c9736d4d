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

/** A window over the screen. The browser keeps the focus inside, closes it by Escape and gives the focus back. */
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
  /** What has to be typed before it can be done. */
  phrase: string;
  submit: string;
  onConfirm: () => Promise<unknown>;
  onClose: () => void;
  children: ComponentChildren;
}

/** Asks before something is lost for good: its name has to be typed. */
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
