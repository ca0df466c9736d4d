import { useState } from 'preact/hooks';
import { MAX_FIELD_NAME } from '../../../../../contract/rules/limits.ts';
import { t } from '../../../../texts/index.ts';
import { Button, IconButton, Select, TextField } from '../../../../ui/index.ts';
import { type FieldDraft, type Kind, newDraft } from './field-drafts.ts';
import { FieldInput, kindName } from './field-input.tsx';

interface Props {
  drafts: FieldDraft[];
  /** Errors by the name of the field. */
  faults: ReadonlyMap<string, string>;
  /** Whether the schema allows other fields. */
  canAdd: boolean;
  onChange: (drafts: FieldDraft[]) => void;
}

/** A record as a form, with an input for each field. */
export function RecordForm({ drafts, faults, canAdd, onChange }: Props) {
  return (
    <div class="record-form">
      {drafts.map((draft, at) => (
        <div key={draft.name} class="record-field">
          <FieldInput
            draft={draft}
            fault={faults.get(draft.name)}
            onInput={(typed) => onChange(drafts.with(at, { ...draft, typed }))}
          />
          {!draft.schema && (
            <IconButton
              icon="trash"
              label={t('Remove field {name}', { name: draft.name })}
              onClick={() => onChange(drafts.toSpliced(at, 1))}
            />
          )}
        </div>
      ))}
      {canAdd && <AddField drafts={drafts} onAdd={(draft) => onChange([...drafts, draft])} />}
    </div>
  );
}

const KINDS: Kind[] = ['string', 'number', 'boolean', 'date', 'json'];

function AddField({ drafts, onAdd }: { drafts: FieldDraft[]; onAdd: (draft: FieldDraft) => void }) {
  const [name, setName] = useState('');
  const [kind, setKind] = useState<Kind>('string');
  const isTaken = drafts.some((draft) => draft.name === name);
  const add = () => {
    onAdd(newDraft(name, kind));
    setName('');
  };
  return (
    <fieldset class="record-add">
      <legend>{t('Another field')}</legend>
      <TextField
        label={t('Name of the field')}
        mono
        value={name}
        maxLength={MAX_FIELD_NAME}
        onInput={setName}
        error={isTaken ? t('The record already has this field.') : undefined}
      />
      <Select
        label={t('Type')}
        value={kind}
        options={KINDS.map((each) => [each, kindName(each)] as const)}
        onChange={setKind}
      />
      <Button kind="quiet" disabled={name === '' || isTaken || name === '__proto__'} onClick={add}>
        {t('Add field')}
      </Button>
    </fieldset>
  );
}
