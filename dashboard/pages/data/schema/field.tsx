import { useState } from 'preact/hooks';
import type { Fault } from '../../../../contract/errors.ts';
import { MAX_FIELD_NAME } from '../../../../contract/rules/limits.ts';
import { Button, plural, Select, Switch, TextField } from '../../../ui/index.ts';
import { isObject } from '../api.ts';
import { type FieldDraft, type FieldType, LIMITS, type Limit, TYPES, withType } from './draft.ts';

interface Props {
  number: number;
  field: FieldDraft;
  nameFault: string | undefined;
  /** Whether to show `nameFault` although nothing was typed yet. */
  isTried: boolean;
  details: Fault[];
  onChange: (field: FieldDraft) => void;
  onRemove: () => void;
}

const LIMIT_NAMES: Record<Limit, string> = {
  minLength: 'Minimum length',
  maxLength: 'Maximum length',
  pattern: 'Pattern',
  min: 'Minimum',
  max: 'Maximum',
  values: 'Values',
};

/** One field of a schema. */
export function FieldForm({ number, field, nameFault, isTried, details, onChange, onRemove }: Props) {
  const [isTouched, setTouched] = useState(field.name !== '');
  const shownFault = isTouched || isTried ? nameFault : undefined;
  const { name, type, required } = field;
  const faultOf = (path: string) => details.find((detail) => detail.path === path)?.message;
  const placed = ['', 'type', 'required', ...LIMITS[type]];
  const others = details.filter(({ path }) => !placed.includes(path));
  return (
    <fieldset class="schema-field">
      <legend class="for-readers">Field {number}</legend>
      <div class="schema-line">
        <TextField
          label="Field"
          mono
          value={name}
          maxLength={MAX_FIELD_NAME}
          autofocus={field.name === ''}
          onInput={(typed) => {
            setTouched(true);
            onChange({ ...field, name: typed });
          }}
          error={shownFault ?? faultOf('') ?? faultOf('type')}
        />
        <Select
          label="Type"
          value={type}
          options={TYPES}
          onChange={(chosen) => onChange(withType(field, chosen))}
        />
        <Button kind="bare" label={`Remove field ${name || number}`} onClick={onRemove}>
          ×
        </Button>
      </div>
      <div class="schema-limits">
        {LIMITS[type].map((limit) => (
          <TextField
            key={limit}
            label={LIMIT_NAMES[limit]}
            mono
            value={field.limits[limit] ?? ''}
            onInput={(typed) => onChange({ ...field, limits: { ...field.limits, [limit]: typed } })}
            error={faultOf(limit)}
            {...(limit === 'values' && { placeholder: 'open, done' })}
            {...(limit === 'pattern' && { placeholder: '^[a-z]+$' })}
          />
        ))}
        {type === 'array' && <Items field={field} onChange={onChange} />}
        {type === 'object' && <p class="hint">{sayProperties(field)}</p>}
      </div>
      <Switch
        label="Required"
        checked={required}
        onChange={(checked) => onChange({ ...field, required: checked })}
      />
      <OtherFaults details={others} />
    </fieldset>
  );
}

/** Errors of parts that have no input of their own. */
function OtherFaults({ details }: Pick<Props, 'details'>) {
  return (
    <>
      {details.map(({ path, message }) => (
        <p key={path} class="fault">
          {path}: {message}
        </p>
      ))}
    </>
  );
}

const ITEM_TYPES = [
  ['any', 'Any value'],
  ['string', 'Text'],
  ['number', 'Numbers'],
  ['boolean', 'Yes or no'],
  ['date', 'Dates'],
  ['object', 'Objects'],
] as const;
type ItemType = (typeof ITEM_TYPES)[number][0];

/** The type of the items of a list. Further rules can be set in the JSON. */
function Items({ field, onChange }: Pick<Props, 'field' | 'onChange'>) {
  const { items, ...others } = field.rest;
  const type = isObject(items) ? (items.type as FieldType) : 'any';
  if (!ITEM_TYPES.some(([known]) => known === type)) return <p class="hint">The JSON defines the items.</p>;
  const choose = (chosen: ItemType) =>
    onChange({ ...field, rest: chosen === 'any' ? others : { ...others, items: { type: chosen } } });
  return <Select label="List of" value={type as ItemType} options={ITEM_TYPES} onChange={choose} />;
}

function sayProperties({ rest: { properties } }: FieldDraft): string {
  const count = isObject(properties) ? Object.keys(properties).length : 0;
  return count
    ? `${plural(count, 'property', 'properties')}, defined in the JSON.`
    : 'Define the properties in the JSON.';
}
