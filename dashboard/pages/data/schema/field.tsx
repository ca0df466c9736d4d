import { useState } from 'preact/hooks';
import type { Fault } from '../../../../contract/errors.ts';
import { MAX_FIELD_NAME } from '../../../../contract/rules/limits.ts';
import { t } from '../../../texts/index.ts';
import { IconButton, Select, Switch, TextField } from '../../../ui/index.ts';
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
  minLength: t('Minimum length'),
  maxLength: t('Maximum length'),
  pattern: t('Pattern'),
  min: t('Minimum'),
  max: t('Maximum'),
  values: t('Values'),
};

/** One field of a schema. */
export function FieldForm({ number, field, nameFault, isTried, details, onChange, onRemove }: Props) {
  const [isTouched, setTouched] = useState(field.name !== '');
  const shownFault = isTouched || isTried ? nameFault : undefined;
  const { name, type, required } = field;
  const findFault = (path: string) => details.find((detail) => detail.path === path)?.message;
  const placed = ['', 'type', 'required', ...LIMITS[type]];
  const others = details.filter(({ path }) => !placed.includes(path));
  return (
    <fieldset class="schema-field">
      <legend class="for-readers">{t('Field {number}', { number })}</legend>
      <div class="schema-line">
        <TextField
          label={t('Field')}
          mono
          value={name}
          maxLength={MAX_FIELD_NAME}
          autofocus={field.name === ''}
          onInput={(typed) => {
            setTouched(true);
            onChange({ ...field, name: typed });
          }}
          error={shownFault ?? findFault('') ?? findFault('type')}
        />
        <Select
          label={t('Type')}
          value={type}
          options={TYPES}
          onChange={(chosen) => onChange(withType(field, chosen))}
        />
        <IconButton
          icon="trash"
          label={t('Remove field {name}', { name: name || number })}
          onClick={onRemove}
        />
      </div>
      <div class="schema-limits">
        {LIMITS[type].map((limit) => (
          <TextField
            key={limit}
            label={LIMIT_NAMES[limit]}
            mono
            value={field.limits[limit] ?? ''}
            onInput={(typed) => onChange({ ...field, limits: { ...field.limits, [limit]: typed } })}
            error={findFault(limit)}
            {...(limit === 'values' && { placeholder: t('open, done') })}
            {...(limit === 'pattern' && { placeholder: '^[a-z]+$' })}
          />
        ))}
        {type === 'array' && <Items field={field} onChange={onChange} />}
        {type === 'object' && <p class="hint">{sayProperties(field)}</p>}
      </div>
      <Switch
        label={t('Required')}
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
  ['any', t('Any value')],
  ['string', t('Text')],
  ['number', t('Numbers')],
  ['boolean', t('Yes or no')],
  ['date', t('Dates')],
  ['object', t('Objects')],
] as const;
type ItemType = (typeof ITEM_TYPES)[number][0];

/** The type of the items of a list. Further rules can be set in the JSON. */
function Items({ field, onChange }: Pick<Props, 'field' | 'onChange'>) {
  const { items, ...others } = field.rest;
  const type = isObject(items) ? (items.type as FieldType) : 'any';
  if (!ITEM_TYPES.some(([known]) => known === type))
    return <p class="hint">{t('The JSON defines the items.')}</p>;
  const choose = (chosen: ItemType) =>
    onChange({ ...field, rest: chosen === 'any' ? others : { ...others, items: { type: chosen } } });
  return <Select label={t('List of')} value={type as ItemType} options={ITEM_TYPES} onChange={choose} />;
}

function sayProperties({ rest: { properties } }: FieldDraft): string {
  const count = isObject(properties) ? Object.keys(properties).length : 0;
  return count
    ? t('{count|{count} property|{count} properties}, defined in the JSON.', { count })
    : t('Define the properties in the JSON.');
}
