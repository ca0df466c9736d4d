import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
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
        <IconButton icon="close" label={t('Close')} onClick={onClose} />
      </header>
      {children}
    </dialog>
  );
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
