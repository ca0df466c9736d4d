import { useState } from 'preact/hooks';
import { MAX_NOTE } from '../../contract/rules/limits.ts';
import { t } from '../texts/index.ts';
import { Button, Form, say, TextField } from '../ui/index.ts';

interface NoteProps {
  note: string;
  /** Of what, in the name of the field. */
  of: string;
  onSave: (note: string) => Promise<unknown>;
}

/** A note on a version or a draft, which is changed in its place. */
export function Note({ note, of, onSave }: NoteProps) {
  const [text, setText] = useState<string>();
  if (text === undefined)
    return (
      <div class="version-note">
        {note && <p>{note}</p>}
        <Button kind="bare" icon="edit" onClick={() => setText(note)}>
          {note ? t('Edit note') : t('Add a note')}
        </Button>
      </div>
    );
  const save = async () => {
    await onSave(text.trim());
    setText(undefined);
    say(t('Note saved.'));
  };
  return (
    <div class="version-note">
      <Form submit={t('Save note')} onSubmit={save} onCancel={() => setText(undefined)}>
        <TextField
          label={t('Note on {what}', { what: of })}
          value={text}
          onInput={setText}
          rows={2}
          maxLength={MAX_NOTE}
          autofocus
        />
      </Form>
    </div>
  );
}
