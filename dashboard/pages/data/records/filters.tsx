import { useId, useRef, useState } from 'preact/hooks';
import type { WhereOperator } from '../../../../contract/rules/where-operators.ts';
import { Button, Field, Form, Select, TextField } from '../../../ui/index.ts';
import { type Condition, type Filter, fromWhere, OPERATORS, toWhere } from './where.ts';

interface Props {
  /** Field names to suggest. */
  fields: string[];
  /** The current filter. */
  where: string | undefined;
  onApply: (where: string | undefined) => void;
  /** Why the service refused the filter. */
  error: string | undefined;
}

const EMPTY: Filter = { match: 'all', conditions: [{ key: 0, field: '', operator: 'eq', value: '' }] };

/** Edits the filter of a list, as rows or as JSON. */
export function Filters({ fields, where, onApply, error }: Props) {
  // Keep all field names seen so far, also while a filter matches no records.
  const seen = useRef(new Set<string>());
  for (const field of fields) seen.current.add(field);
  const [filter, setFilter] = useState<Filter>((where && fromWhere(where)) || EMPTY);
  const [raw, setRaw] = useState(where && !fromWhere(where) ? where : undefined);
  const asked = raw ?? toWhere(filter);
  const readBack = raw === undefined ? undefined : raw.trim() === '' ? EMPTY : fromWhere(raw);

  const toRows = () => {
    if (readBack) setFilter(readBack.conditions.length ? readBack : EMPTY);
    setRaw(undefined);
  };
  const clear = () => {
    setFilter(EMPTY);
    setRaw(undefined);
    onApply(undefined);
  };
  return (
    <div class="data-filters">
      <Form
        submit="Apply"
        onSubmit={async () => onApply(asked?.trim() ? asked : undefined)}
        aside={
          <>
            <Button kind="quiet" onClick={clear}>
              Clear
            </Button>
            {raw === undefined ? (
              <Button kind="bare" onClick={() => setRaw(toWhere(filter) ?? '')}>
                Edit as JSON
              </Button>
            ) : (
              <Button
                kind="bare"
                disabled={!readBack}
                onClick={toRows}
                {...(!readBack && { title: 'This filter cannot be shown as rows' })}
              >
                Edit as rows
              </Button>
            )}
          </>
        }
      >
        {raw === undefined ? (
          <Rows filter={filter} fields={[...seen.current]} onChange={setFilter} error={error} />
        ) : (
          <JsonField value={raw} onInput={setRaw} error={error} />
        )}
      </Form>
    </div>
  );
}

interface JsonFieldProps {
  value: string;
  onInput: (typed: string) => void;
  error: string | undefined;
}

function JsonField(props: JsonFieldProps) {
  return (
    <TextField
      label="Filter as JSON"
      mono
      rows={4}
      placeholder={'{ "done": false, "count": { "gte": 3 } }'}
      hint="Operators: eq, ne, gt, gte, lt, lte, in, contains, exists. Combine filters with and, or and an array. Use dots for nested fields."
      {...props}
    />
  );
}

interface RowsProps {
  filter: Filter;
  fields: string[];
  onChange: (filter: Filter) => void;
  error: string | undefined;
}

function Rows({ filter, fields, onChange, error }: RowsProps) {
  const { match, conditions } = filter;
  const list = useId();
  const change = (changed: Condition) =>
    onChange({ match, conditions: conditions.map((old) => (old.key === changed.key ? changed : old)) });
  const add = () => {
    const key = Math.max(-1, ...conditions.map((condition) => condition.key)) + 1;
    onChange({ match, conditions: [...conditions, { key, field: '', operator: 'eq', value: '' }] });
  };
  const remove = ({ key }: Condition) =>
    onChange({ match, conditions: conditions.filter((condition) => condition.key !== key) });
  const where = toWhere(filter);
  return (
    <>
      <datalist id={list}>
        {fields.map((field) => (
          <option key={field} value={field} />
        ))}
      </datalist>
      {conditions.length > 1 && (
        <Select
          label="Records that match"
          value={match}
          options={[
            ['all', 'all conditions'],
            ['any', 'any condition'],
          ]}
          onChange={(chosen) => onChange({ match: chosen, conditions })}
        />
      )}
      {conditions.map((condition, index) => (
        <Row
          key={condition.key}
          number={index + 1}
          condition={condition}
          list={list}
          isKnown={isKnown(condition.field.trim(), fields)}
          onChange={change}
          {...(conditions.length > 1 && { onRemove: () => remove(condition) })}
        />
      ))}
      {error && <p class="fault">{error}</p>}
      <div class="actions">
        <Button kind="bare" onClick={add}>
          Add condition
        </Button>
        {where && <code class="data-where">{where}</code>}
      </div>
      <p class="hint">
        <code>42</code> is a number, <code>true</code> a boolean and <code>null</code> is null. For the text
        42, write <code>"42"</code>. For “is one of”, separate the values with commas.
      </p>
    </>
  );
}

/** True if a record or the schema has the field. Of a nested field, only the first part is checked. */
const isKnown = (field: string, fields: string[]) =>
  field === '' || fields.length === 0 || fields.includes(field.split('.', 1)[0] ?? '');

interface RowProps {
  number: number;
  condition: Condition;
  list: string;
  /** True if a record or the schema has the field. */
  isKnown: boolean;
  onChange: (condition: Condition) => void;
  onRemove?: () => void;
}

function Row({ number, condition, list, isKnown, onChange, onRemove }: RowProps) {
  const { operator, value } = condition;
  const setOperator = (chosen: WhereOperator) =>
    onChange({ ...condition, operator: chosen, value: chosen === 'exists' ? 'true' : value });
  return (
    <div class="data-condition">
      <Field
        label={`Field ${number}`}
        hideLabel
        hint={!isKnown && 'None of the loaded records has this field.'}
      >
        {(attributes) => (
          <input
            {...attributes}
            class="mono"
            list={list}
            placeholder="field"
            autoComplete="off"
            value={condition.field}
            onInput={(event) => onChange({ ...condition, field: event.currentTarget.value })}
          />
        )}
      </Field>
      <Select
        label={`Operator ${number}`}
        hideLabel
        value={operator}
        options={OPERATORS}
        onChange={setOperator}
      />
      {operator === 'exists' ? (
        <Select
          label={`Value ${number}`}
          hideLabel
          value={value === 'false' ? 'false' : 'true'}
          options={[
            ['true', 'yes'],
            ['false', 'no'],
          ]}
          onChange={(chosen) => onChange({ ...condition, value: chosen })}
        />
      ) : (
        <TextField
          label={`Value ${number}`}
          hideLabel
          mono
          placeholder={operator === 'in' ? 'open, done' : 'value'}
          value={value}
          onInput={(typed) => onChange({ ...condition, value: typed })}
        />
      )}
      {onRemove && (
        <Button kind="bare" label={`Remove condition ${number}`} onClick={onRemove}>
          ×
        </Button>
      )}
    </div>
  );
}
