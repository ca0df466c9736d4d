import { type CellDraft, EditConflict, type GridEditing } from '../../../grid/index.ts';
import { type CollectionTarget, type DataRecord, readRecordAgain } from '../api.ts';
import { whyReadOnly } from './access.ts';
import { type FieldDraft, listOptions, makeDrafts, withField } from './form/field-drafts.ts';
import { saveRecord } from './form/record-changes.ts';
import type { Records } from './use-records.ts';

/** More text is edited in the record, not in its cell. */
const MAX_IN_CELL = 10_000;

/** Edits the fields of records in their cells. Only what was changed is sent. */
export function recordEditing(target: CollectionTarget, records: Records): GridEditing<DataRecord> {
  const { fields, schema } = records;
  const find = ({ data }: DataRecord, field: string): FieldDraft | undefined => {
    const example = records.listing?.records.find(
      (other) => other.data[field] !== undefined && other.data[field] !== null,
    );
    const known = { [field]: example?.data[field] ?? '' };
    const only = Object.hasOwn(data, field) ? { [field]: data[field] } : {};
    return makeDrafts(only, schema, known).find(({ name }) => name === field);
  };
  return {
    draft(record, column) {
      if (!fields.includes(column) || whyReadOnly(target, record)) return undefined;
      const draft = find(record, column);
      return draft && draft.typed.length <= MAX_IN_CELL ? toCellDraft(draft) : undefined;
    },
    async save(record, column, typed, isForced) {
      const draft = find(record, column);
      if (!draft || typed === null) return;
      const data = withField(record.data, { ...draft, typed });
      if (!isForced) await checkNobodyElse(target, record, column);
      const saved = await saveRecord(target, record, data);
      if (saved) await records.show(saved, false);
    },
  };
}

function toCellDraft(draft: FieldDraft): CellDraft {
  const { kind, typed, schema } = draft;
  if (kind === 'boolean' || kind === 'enum') {
    const empty = schema?.required ? [] : [['', '–'] as const];
    return { kind: 'choice', typed, choices: [...empty, ...listOptions(schema)] };
  }
  if (kind === 'number' || kind === 'date') return { kind, typed };
  return { kind: 'text', typed, isMono: kind === 'json' };
}

/** Throws if the field is no longer what is on the screen. */
async function checkNobodyElse(target: CollectionTarget, { id, data }: DataRecord, field: string) {
  const now = (await readRecordAgain(target, id)).data;
  if (JSON.stringify(now[field]) === JSON.stringify(data[field])) return;
  const theirs = now[field];
  throw new EditConflict(typeof theirs === 'string' ? theirs : (JSON.stringify(theirs) ?? ''));
}
