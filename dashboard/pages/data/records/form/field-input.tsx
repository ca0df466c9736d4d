import { useState } from 'preact/hooks';
import { t } from '../../../../texts/index.ts';
import { Field, Select, TextField } from '../../../../ui/index.ts';
import type { FieldSchema } from '../../api.ts';
import { type FieldDraft, type Kind, listOptions } from './field-drafts.ts';

interface Props {
  draft: FieldDraft;
  label?: string;
  fault: string | undefined;
  onInput: (typed: string) => void;
}

/** The input for one field of a record, by its type. */
export function FieldInput({ draft, label = makeLabel(draft), fault, onInput }: Props) {
  const { kind, typed, schema } = draft;
  const shared = { label, error: fault, hint: makeHint(draft) };
  const [isLong] = useState(() => isLongText(draft));
  if (kind === 'boolean' || kind === 'enum')
    return (
      <Select
        {...shared}
        value={typed}
        options={[['', schema?.required ? t('Choose') : t('Not set')], ...listOptions(schema)]}
        onChange={onInput}
      />
    );
  if (kind === 'date' && /^(\d{4}-\d{2}-\d{2})?$/.test(typed))
    return <DateInput {...shared} {...{ typed, onInput }} />;
  return (
    <TextField
      {...shared}
      value={typed}
      onInput={onInput}
      mono={kind !== 'string'}
      {...(kind === 'json' && { rows: Math.min(10, Math.max(2, typed.split('\n').length)) })}
      {...(kind === 'string' && isLong && { rows: 3 })}
    />
  );
}

function DateInput({ label, error, hint, typed, onInput }: DateProps) {
  return (
    <Field {...{ label, error, hint }}>
      {(attributes) => (
        <input
          {...attributes}
          type="date"
          value={typed}
          onInput={(event) => onInput(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

interface DateProps {
  label: string;
  error: string | undefined;
  hint: string | undefined;
  typed: string;
  onInput: (typed: string) => void;
}

const makeLabel = ({ name, schema }: FieldDraft) =>
  schema?.required ? t('{name} (required)', { name }) : name;

/** Beyond this many characters a text gets several lines. */
const LONG = 80;

function isLongText({ typed, schema }: FieldDraft): boolean {
  const most = schema?.type === 'string' ? schema.maxLength : undefined;
  return typed.length > LONG || typed.includes('\n') || (most ?? 0) > 2 * LONG;
}

function makeHint({ kind, schema, typed }: FieldDraft): string | undefined {
  const name = kindName(schema ? schema.type : kind);
  const isJson = schema?.type === 'array' || schema?.type === 'object' || !schema;
  if (kind === 'json' && typed !== '' && !isJson)
    return t('The schema wants: {name}. This value is shown as JSON.', { name });
  return kind === 'json' ? name : schema && (describeLimits(schema) || undefined);
}

export function kindName(kind: Kind | FieldSchema['type']): string {
  switch (kind) {
    case 'string':
      return t('Text');
    case 'number':
      return t('Number');
    case 'boolean':
      return t('Yes or no');
    case 'enum':
      return t('One of a list');
    case 'date':
      return t('Date');
    case 'array':
      return t('List, as JSON');
    case 'object':
      return t('Object, as JSON');
    case 'json':
      return t('JSON');
  }
}

function describeLimits(schema: FieldSchema): string {
  if (schema.type === 'string') {
    const { minLength, maxLength } = schema;
    if (minLength && maxLength) return t('{min} to {max} characters', { min: minLength, max: maxLength });
    if (maxLength) return t('At most {max} characters', { max: maxLength });
    return minLength ? t('At least {min} characters', { min: minLength }) : '';
  }
  if (schema.type !== 'number') return '';
  const { min, max } = schema;
  if (min !== undefined && max !== undefined) return t('{min} to {max}', { min, max });
  if (max !== undefined) return t('At most {max}', { max });
  return min === undefined ? '' : t('At least {min}', { min });
}
