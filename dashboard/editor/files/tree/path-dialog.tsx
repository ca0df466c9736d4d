import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Dialog, Form, TextField } from '../../../ui/index.ts';

interface Props {
  title: string;
  submit: string;
  label: string;
  hint: ComponentChildren;
  /** The path that the field starts with. */
  first: string;
  /** Returns why the path cannot be used. Otherwise it closes the dialog. */
  onSubmit: (path: string) => string | undefined | Promise<string | undefined>;
  onClose: () => void;
}

/** Asks for the path of a file or a folder. */
export function PathDialog({ title, submit, label, hint, first, onSubmit, onClose }: Props) {
  const [typed, setTyped] = useState(first);
  const [fault, setFault] = useState<string>();
  return (
    <Dialog title={title} onClose={onClose}>
      <Form
        submit={submit}
        onSubmit={async () => setFault(await onSubmit(typed.trim()))}
        disabled={typed.trim() === ''}
        onCancel={onClose}
      >
        <TextField
          label={label}
          hint={hint}
          value={typed}
          onInput={setTyped}
          error={fault}
          mono
          autofocus
          required
        />
      </Form>
    </Dialog>
  );
}
