import type { Fault } from '../../../../contract/errors.ts';
import type { StorageType } from '../../../../contract/rules/storage-modes.ts';
import { t } from '../../../texts/index.ts';
import { Button, Switch } from '../../../ui/index.ts';
import type { FieldDraft, SchemaDraft } from './draft.ts';
import { FieldForm } from './field.tsx';
import { IndexesForm, SearchForm } from './paths-form.tsx';
import { RulesForm } from './rules-form.tsx';
import type { Building } from './use-building.ts';

interface Props {
  type: StorageType;
  draft: SchemaDraft;
  /** Errors in names, by the key of the field. */
  names: ReadonlyMap<number, string>;
  /** Shows these errors also for fields in which nothing was typed yet. */
  isTried: boolean;
  /** Validation errors of the service. */
  details: Fault[];
  building: Building;
  onChange: (draft: SchemaDraft) => void;
}

/** A schema as a list of fields. */
export function SchemaForm({ type, draft, names, isTried, details, building, onChange }: Props) {
  const { fields, strict, rules } = draft;
  const put = (changed: FieldDraft) =>
    onChange({ ...draft, fields: fields.map((field) => (field.key === changed.key ? changed : field)) });
  const remove = ({ key }: FieldDraft) =>
    onChange({ ...draft, fields: fields.filter((field) => field.key !== key) });
  const add = () => {
    const key = Math.max(-1, ...fields.map((field) => field.key)) + 1;
    const field: FieldDraft = { key, name: '', type: 'string', required: false, limits: {}, rest: {} };
    onChange({ ...draft, fields: [...fields, field] });
  };
  return (
    <div class="schema-form">
      {fields.length === 0 && <p class="hint">{t('No fields yet. All records are valid.')}</p>}
      {fields.map((field, index) => (
        <FieldForm
          key={field.key}
          number={index + 1}
          field={field}
          nameFault={names.get(field.key)}
          isTried={isTried}
          details={selectDetails(field.name, details)}
          onChange={put}
          onRemove={() => remove(field)}
        />
      ))}
      <div>
        <Button kind="quiet" onClick={add}>
          {t('Add field')}
        </Button>
      </div>
      <Switch
        label={t('Strict')}
        hint={t('Refuses records with other fields.')}
        checked={strict}
        onChange={(checked) => onChange({ ...draft, strict: checked })}
      />
      <IndexesForm draft={draft} building={building} onChange={onChange} />
      <SearchForm draft={draft} building={building} onChange={onChange} />
      <RulesForm type={type} rules={rules} onChange={(changed) => onChange({ ...draft, rules: changed })} />
    </div>
  );
}

/** The errors of one field, with paths relative to it. */
function selectDetails(name: string, details: Props['details']): Props['details'] {
  const start = `schema.fields.${name}`;
  return details
    .filter(({ path }) => path === start || path.startsWith(`${start}.`))
    .map(({ path, message }) => ({ path: path.slice(start.length + 1), message }));
}
