import { useState } from 'preact/hooks';
import { t } from '../../../../texts/index.ts';
import { Form, TextField } from '../../../../ui/index.ts';
import type { CollectionTarget } from '../../api.ts';
import { BulkDialog, countSelected } from './bulk-dialog.tsx';
import type { Selected } from './run-bulk.ts';

interface Props {
  target: CollectionTarget;
  selected: Selected;
  onDone: () => void;
  onClose: () => void;
}

const PHRASE = t('delete');

/** Deletes the selected records. */
export function DeleteDialog({ target, selected, onDone, onClose }: Props) {
  const [typed, setTyped] = useState('');
  const count = countSelected(selected);
  return (
    <BulkDialog
      {...{ target, selected, onDone, onClose }}
      title={t('{count|Delete this record?|Delete {count} records?}', { count })}
      sayDone={(done) => t('{done|1 record deleted|{done} records deleted}', { done })}
    >
      {(start) => (
        <>
          <p>
            {t(
              '{count|This deletes the record for everyone who uses the page. For a while, you can bring it back under Deleted.|This deletes the records for everyone who uses the page. For a while, you can bring them back under Deleted.}',
              { count },
            )}
          </p>
          <Form
            submit={t('Delete for everyone')}
            disabled={typed !== PHRASE}
            onSubmit={() => start((id) => ({ op: 'delete', id }))}
            onCancel={onClose}
          >
            <TextField
              label={t('Type {phrase} to confirm', { phrase: PHRASE })}
              value={typed}
              onInput={setTyped}
              mono
              autofocus
            />
          </Form>
        </>
      )}
    </BulkDialog>
  );
}
