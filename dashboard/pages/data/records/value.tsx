import { language, t } from '../../../texts/index.ts';
import { formatMoment, formatNumber } from '../../../ui/index.ts';
import { isObject } from '../api.ts';

const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/;
/** Longer text is cut in the table. The record shows all of it. */
const MAX_LETTERS = 300;

/** A value of a record. */
export function Value({ value }: { value: unknown }) {
  if (value === undefined) return <Dash label={t('not set')} />;
  if (value === null) return <span class="faint mono">{String(value)}</span>;
  if (typeof value === 'boolean') return <span class={`data-boolean ${value}`}>{String(value)}</span>;
  if (typeof value === 'number') return <span class="data-number">{formatNumeric(value)}</span>;
  if (typeof value === 'string') return <Text text={value} />;
  return <Nested value={value} />;
}

/** An empty cell. Screen readers say why it is empty. */
function Dash({ label }: { label: string }) {
  return (
    <span class="faint">
      <span aria-hidden="true">–</span>
      <span class="for-readers">{label}</span>
    </span>
  );
}

function Text({ text }: { text: string }) {
  if (text === '') return <Dash label={t('empty text')} />;
  if (MOMENT.test(text) && !Number.isNaN(Date.parse(text))) {
    return (
      <time dateTime={text} title={text}>
        {formatMoment(text)}
      </time>
    );
  }
  const shown = text.length > MAX_LETTERS ? `${text.slice(0, MAX_LETTERS)}…` : text;
  return (
    <span class="data-text" title={shown}>
      {shown}
    </span>
  );
}

/** Lists and objects are collapsed. */
function Nested({ value }: { value: unknown }) {
  const count = isObject(value) ? Object.keys(value).length : (value as unknown[]).length;
  const name = isObject(value)
    ? `{ ${t('{count|{count} field|{count} fields}', { count })} }`
    : `[ ${t('{count|{count} item|{count} items}', { count })} ]`;
  if (count === 0) return <span class="faint mono">{isObject(value) ? '{ }' : '[ ]'}</span>;
  return (
    <details class="data-nested">
      <summary>{name}</summary>
      <pre>{cut(JSON.stringify(value, null, 2))}</pre>
    </details>
  );
}

const cut = (text: string) => (text.length > 10 * MAX_LETTERS ? `${text.slice(0, 10 * MAX_LETTERS)}…` : text);

const decimals = new Intl.NumberFormat(language, { maximumFractionDigits: 20, useGrouping: false });
/** Smaller numbers are shown with an exponent, as JSON writes them. */
const LEAST = 1e-6;

const formatNumeric = (value: number) => {
  if (Number.isInteger(value)) return formatNumber(value);
  return Math.abs(value) < LEAST ? String(value) : decimals.format(value);
};
