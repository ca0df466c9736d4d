import type { Fault } from '../../../../contract/errors.ts';
import { Button, Switch } from '../../../ui/index.ts';
import type { FieldDraft, SchemaDraft } from './draft.ts';
import { FieldForm } from './field.tsx';

interface Props {
  draft: SchemaDraft;
  /** Errors in names, by the key of the field. */
  names: ReadonlyMap<number, string>;
  /** Validation errors of the service. */
  details: Fault[];
  onChange: (draft: SchemaDraft) => void;
}

/** A schema as a list of fields. */
export function SchemaForm({ draft, names, details, onChange }: Props) {
  const { fields, strict } = draft;
  const put = (changed: FieldDraft) =>
    onChange({ strict, fields: fields.map((field) => (field.key === changed.key ? changed : field)) });
  const remove = ({ key }: FieldDraft) =>
    onChange({ strict, fields: fields.filter((field) => field.key !== key) });
  const add = () => {
    const key = Math.max(-1, ...fields.map((field) => field.key)) + 1;
    const field: FieldDraft = { key, name: '', type: 'string', required: false, limits: {}, rest: {} };
    onChange({ strict, fields: [...fields, field] });
  };
  return (
    <div class="schema-form">
      {fields.length === 0 && <p class="hint">No fields yet. All records are valid.</p>}
      {fields.map((field, index) => (
        <FieldForm
          key={field.key}
          number={index + 1}
          field={field}
          nameFault={names.get(field.key)}
          details={detailsOf(field.name, details)}
          onChange={put}
          onRemove={() => remove(field)}
        />
      ))}
      <div>
        <Button kind="quiet" onClick={add}>
          Add field
        </Button>
      </div>
      <Switch
        label="Strict"
        hint="Refuses records with other fields."
        checked={strict}
        onChange={(checked) => onChange({ strict: checked, fields })}
      />
    </div>
  );
}

/** The errors of one field, with paths relative to it. */
function detailsOf(name: string, details: Props['details']): Props['details'] {
  const start = `schema.fields.${name}`;
  return details
    .filter(({ path }) => path === start || path.startsWith(`${start}.`))
    .map(({ path, message }) => ({ path: path.slice(start.length + 1), message }));
}
