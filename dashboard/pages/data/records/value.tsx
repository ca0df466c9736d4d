import { Dash } from '../../../grid/index.ts';
import { language, t } from '../../../texts/index.ts';
import { formatMoment, formatNumber } from '../../../ui/index.ts';
import { isObject } from '../api.ts';

const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/;
/** Longer text is cut in the table. The record shows all of it. */
const MAX_LETTERS = 300;

/** A value of a record. */
export function Value({ value }: { value: unknown }) {
  if (value === undefined) return <Dash label={t('not set')} />;
  if (value === null) return <Dash label={t('null')} />;
  if (typeof value === 'boolean') return <span class={`data-boolean ${value}`}>{String(value)}</span>;
  if (typeof value === 'number') return <span class="data-number">{formatNumeric(value)}</span>;
  if (typeof value === 'string') return <Text text={value} />;
  return <Nested value={value} />;
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

/** More items of a list are only counted. */
const MAX_ITEMS = 6;

/** A list of short values is shown, everything else is counted. */
function Nested({ value }: { value: unknown }) {
  if (isObject(value)) {
    const count = Object.keys(value).length;
    return (
      <span class="faint mono">
        {count === 0 ? '{ }' : `{ ${t('{count|{count} field|{count} fields}', { count })} }`}
      </span>
    );
  }
  const items = value as unknown[];
  const isPlain = items.slice(0, MAX_ITEMS).every((item) => item === null || typeof item !== 'object');
  if (items.length === 0) return <span class="faint mono">[ ]</span>;
  if (!isPlain)
    return (
      <span class="faint mono">[ {t('{count|{count} item|{count} items}', { count: items.length })} ]</span>
    );
  const more = items.length - MAX_ITEMS;
  return (
    <span class="data-items">
      {items.slice(0, MAX_ITEMS).map((item, at) => (
        <span key={at}>{String(item).slice(0, MAX_LETTERS)}</span>
      ))}
      {more > 0 && <span class="faint">+{formatNumber(more)}</span>}
    </span>
  );
}

const decimals = new Intl.NumberFormat(language, { maximumFractionDigits: 20, useGrouping: false });
/** Smaller numbers are shown with an exponent, as JSON writes them. */
const LEAST = 1e-6;

const formatNumeric = (value: number) => {
  if (Number.isInteger(value)) return formatNumber(value);
  return Math.abs(value) < LEAST ? String(value) : decimals.format(value);
};
