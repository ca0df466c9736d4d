import { useState } from 'preact/hooks';
import { t } from '../../../../texts/index.ts';
import { Form, Select, Switch } from '../../../../ui/index.ts';
import type { CollectionTarget } from '../../api.ts';
import { type FieldDraft, readValue } from '../form/field-drafts.ts';
import { FieldInput } from '../form/field-input.tsx';
import { BulkDialog, countSelected } from './bulk-dialog.tsx';
import type { Selected } from './run-bulk.ts';

interface Props {
  target: CollectionTarget;
  selected: Selected;
  /** The fields that can be set, empty. */
  fields: FieldDraft[];
  onDone: () => void;
  onClose: () => void;
}

/** Sets one field of the selected records. */
export function EditDialog({ target, selected, fields, onDone, onClose }: Props) {
  const [name, setName] = useState(fields[0]?.name ?? '');
  const [typed, setTyped] = useState('');
  const [isRemoving, setRemoving] = useState(false);
  const [fault, setFault] = useState<string>();
  const field = fields.find((each) => each.name === name);
  const count = countSelected(selected);
  const read = (): { value: unknown } | undefined => {
    if (isRemoving || !field) return { value: null };
    const value = readValue({ ...field, typed });
    setFault(
      value instanceof Error ? value.message : value ? undefined : t('Enter a value, or remove the field.'),
    );
    return value instanceof Error ? undefined : value;
  };
  return (
    <BulkDialog
      {...{ target, selected, onDone, onClose }}
      title={t('{count|Edit 1 record|Edit {count} records}', { count })}
      sayDone={(done) => t('{done|1 record changed|{done} records changed}', { done })}
    >
      {(start) => (
        <Form
          submit={t('{count|Change 1 record|Change {count} records}', { count })}
          disabled={!field}
          onSubmit={async () => {
            const next = read();
            if (next) await start((id) => ({ op: 'update', id, data: { [name]: next.value } }));
          }}
          onCancel={onClose}
        >
          <Select
            label={t('Field to change')}
            value={name}
            options={fields.map((each) => [each.name, each.name] as const)}
            onChange={(chosen) => {
              setName(chosen);
              setTyped('');
              setFault(undefined);
            }}
          />
          {field && !isRemoving && (
            <FieldInput
              key={name}
              label={t('New value')}
              draft={{ ...field, typed }}
              fault={fault}
              onInput={setTyped}
            />
          )}
          <Switch
            label={t('Remove this field from the records')}
            checked={isRemoving}
            onChange={setRemoving}
          />
        </Form>
      )}
    </BulkDialog>
  );
}
