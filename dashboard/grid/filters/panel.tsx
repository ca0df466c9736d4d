import { useId, useState } from 'preact/hooks';
import { t } from '../../texts/index.ts';
import { Field, Select, TextField } from '../../ui/index.ts';
import type { Choice, ColumnType, FilterColumn } from '../columns.ts';
import { type Condition, nameOperator, OPERATORS_OF, type Operator } from './conditions.ts';
import { readValues, type Typed, writeValues } from './typed-values.ts';

interface Props {
  columns: FilterColumn[];
  /** The condition to edit; undefined for a new one. */
  condition?: Condition | undefined;
  /** The column of a new condition. */
  field?: string | undefined;
  /** Also accepts names that are not in the list, such as paths to nested fields. */
  isOpen?: boolean;
  onApply: (condition: Condition) => void;
  onRemove?: (() => void) | undefined;
}

/** Edits one condition of a filter. */
export function FilterPanel({ columns, condition, field: given, isOpen, onApply, onRemove }: Props) {
  const [field, setField] = useState(condition?.field ?? given ?? columns[0]?.key ?? '');
  const column = columns.find(({ key }) => key === field);
  const type = column?.type ?? 'any';
  const [operator, setOperator] = useState<Operator>(condition?.operator ?? defaultOperator(type));
  const [typed, setTyped] = useState<Typed>(() => writeValues(operator, condition?.values ?? [], type));
  const [picked, setPicked] = useState<Choice[]>(condition?.values ?? []);
  const [fault, setFault] = useState<string>();

  const choose = (name: string) => {
    const next = columns.find(({ key }) => key === name)?.type ?? 'any';
    setField(name);
    if (!OPERATORS_OF[next].includes(operator)) setOperator(defaultOperator(next));
    setFault(undefined);
  };
  const isPicking = operator === 'in' && column?.choices !== undefined;
  const apply = (event: Event) => {
    event.preventDefault();
    const values = isPicking ? picked : readValues(operator, typed, type);
    if (values instanceof Error || (isPicking && values.length === 0))
      return setFault(values instanceof Error && values.message === 'number' ? wrongNumber() : noValue());
    if (field.trim() === '') return setFault(t('Choose a column.'));
    onApply({ field: field.trim(), operator, values });
  };
  return (
    <form class="filter-panel" onSubmit={apply}>
      <ColumnField {...{ columns, field }} isOpen={isOpen ?? false} onChange={choose} />
      <Select
        label={t('Condition')}
        value={operator}
        options={OPERATORS_OF[type].map((each) => [each, nameOperator(each, type)] as const)}
        onChange={setOperator}
      />
      {isPicking ? (
        <Choices choices={column?.choices ?? []} picked={picked} onChange={setPicked} />
      ) : (
        <ValueFields {...{ operator, type, typed, fault }} choices={column?.choices} onChange={setTyped} />
      )}
      {fault && isPicking && <p class="fault">{fault}</p>}
      <div class="actions">
        <button type="submit" class="button primary">
          {t('Apply')}
        </button>
        {onRemove && (
          <button type="button" class="button quiet" onClick={onRemove}>
            {t('Remove')}
          </button>
        )}
      </div>
    </form>
  );
}

const defaultOperator = (type: ColumnType): Operator => OPERATORS_OF[type][0] ?? 'eq';
const wrongNumber = () => t('Enter a number.');
const noValue = () => t('Enter a value.');

interface ColumnFieldProps {
  columns: FilterColumn[];
  field: string;
  isOpen: boolean;
  onChange: (field: string) => void;
}

function ColumnField({ columns, field, isOpen, onChange }: ColumnFieldProps) {
  const list = useId();
  if (!isOpen)
    return (
      <Select
        label={t('Column')}
        value={field}
        options={columns.map(({ key, title }) => [key, title] as const)}
        onChange={onChange}
      />
    );
  return (
    <Field
      label={t('Field')}
      hint={
        field !== '' && columns.length > 0 && !columns.some(({ key }) => key === field.split('.', 1)[0])
          ? t('None of the loaded records has this field.')
          : t('Use dots for nested fields: place.city')
      }
    >
      {(attributes) => (
        <>
          <input
            {...attributes}
            class="mono"
            list={list}
            autoComplete="off"
            value={field}
            onInput={(event) => onChange(event.currentTarget.value)}
          />
          <datalist id={list}>
            {columns.map(({ key }) => (
              <option key={key} value={key} />
            ))}
          </datalist>
        </>
      )}
    </Field>
  );
}

interface ValueProps {
  operator: Operator;
  type: ColumnType;
  typed: Typed;
  choices: Choice[] | undefined;
  fault: string | undefined;
  onChange: (typed: Typed) => void;
}

function ValueFields({ operator, type, typed, choices, fault, onChange }: ValueProps) {
  if (operator === 'empty' || operator === 'filled') return null;
  const [first, second] = typed;
  const kind = type === 'date' && operator !== 'in' ? 'date' : 'text';
  if (operator === 'range')
    return (
      <div class="filter-range">
        <Value label={t('From')} {...{ kind, fault }} value={first} onInput={(v) => onChange([v, second])} />
        <Value label={t('To')} kind={kind} value={second} onInput={(v) => onChange([first, v])} />
      </div>
    );
  const listed = type === 'boolean' ? [true, false] : type === 'choice' ? choices : undefined;
  if (listed && operator !== 'in')
    return (
      <Select
        label={t('Value')}
        value={first}
        options={[['', t('Choose')], ...listed.map((each) => [JSON.stringify(each), String(each)] as const)]}
        onChange={(chosen) => onChange([chosen, second])}
        error={fault}
      />
    );
  return (
    <Value
      label={t('Value')}
      {...{ kind, fault }}
      value={first}
      onInput={(typedNow) => onChange([typedNow, second])}
      hint={makeHint(operator, type)}
    />
  );
}

function makeHint(operator: Operator, type: ColumnType): string | undefined {
  if (operator === 'in') return t('Separate values with commas.');
  if (operator === 'contains') return t('Upper and lower case are different.');
  return type === 'any' ? t('42 is a number, "42" is text. true, false and null work too.') : undefined;
}

interface OneValueProps {
  label: string;
  kind: 'text' | 'date';
  value: string;
  fault?: string | undefined;
  hint?: string | undefined;
  onInput: (typed: string) => void;
}

function Value({ label, kind, value, fault, hint, onInput }: OneValueProps) {
  // A moment, not a day: a date field could not show it.
  const isDay = kind === 'date' && /^(\d{4}-\d{2}-\d{2})?$/.test(value);
  if (!isDay) return <TextField {...{ label, value, onInput }} mono error={fault} {...(hint && { hint })} />;
  return (
    <Field label={label} error={fault}>
      {(attributes) => (
        <input
          {...attributes}
          type="date"
          value={value}
          onInput={(event) => onInput(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

interface ChoicesProps {
  choices: Choice[];
  picked: Choice[];
  onChange: (picked: Choice[]) => void;
}

function Choices({ choices, picked, onChange }: ChoicesProps) {
  return (
    <fieldset class="filter-choices">
      <legend>{t('Values')}</legend>
      {choices.map((choice) => (
        <label key={JSON.stringify(choice)}>
          <input
            type="checkbox"
            checked={picked.includes(choice)}
            onChange={(event) => {
              const others = picked.filter((each) => each !== choice);
              onChange(event.currentTarget.checked ? [...others, choice] : others);
            }}
          />
          {String(choice)}
        </label>
      ))}
    </fieldset>
  );
}
