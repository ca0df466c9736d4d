import { t } from '../../../../texts/index.ts';
import { Table } from '../../../../ui/index.ts';
import { Value } from '../value.tsx';
import type { Line } from './import.ts';

const SHOWN_LINES = 5;
const SHOWN_FIELDS = 8;

/** The first records of a file, as they will be added. */
export function Preview({ lines }: { lines: Line[] }) {
  const first = lines.slice(0, SHOWN_LINES);
  if (first.length === 0) return null;
  const fields = [...new Set(first.flatMap(({ data }) => Object.keys(data)))];
  return (
    <section class="import-preview" aria-label={t('Preview')}>
      <h3>{t('{count|The first record|The first {count} records}', { count: first.length })}</h3>
      <Table
        caption={t('Preview')}
        rows={first}
        getKey={({ number }) => number}
        columns={fields.slice(0, SHOWN_FIELDS).map((field) => ({
          title: field,
          cell: ({ data }: Line) => <Value value={Object.hasOwn(data, field) ? data[field] : undefined} />,
        }))}
      />
      {fields.length > SHOWN_FIELDS && (
        <p class="hint">{t('{count} more fields.', { count: fields.length - SHOWN_FIELDS })}</p>
      )}
    </section>
  );
}
