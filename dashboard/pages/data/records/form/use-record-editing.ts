import { useRef, useState } from 'preact/hooks';
import { ApiError } from '../../../../api.ts';
import type { Editor, Fault } from '../../../../editor/index.tsx';
import { useLeavingGuard } from '../../../../router.tsx';
import { t } from '../../../../texts/index.ts';
import { say } from '../../../../ui/index.ts';
import {
  type CollectionSchema,
  type CollectionTarget,
  type Data,
  type DataRecord,
  isObject,
} from '../../api.ts';
import { faultsAt, parseJson } from '../../json-text.ts';
import { type FieldDraft, faultsByField, makeDrafts, readRecord } from './field-drafts.ts';
import { saveRecord, toChange } from './record-changes.ts';

export interface RecordDialogProps {
  target: CollectionTarget;
  /** Undefined for a new record. */
  record: DataRecord | undefined;
  schema: CollectionSchema | null;
  /** The initial data of a new record. */
  template: Data;
  /** Fields that other records have, each with a value, for the form of a new record. */
  known: Data;
  /** Why the user cannot edit this record. */
  readOnly?: string | undefined;
  onSaved: (record: DataRecord) => void;
  onDelete: () => void;
  onHistory: () => void;
  onClose: () => void;
}

type View = 'form' | 'json';

const toText = (data: Data) => JSON.stringify(data, null, 2);

/** A record while it is edited. */
export function useRecordEditing(props: RecordDialogProps) {
  const { target, record, onSaved } = props;
  const views = useViews(props);
  const guard = useLeavingGuard(!views.isSame);
  const save = async () => {
    const data = views.read();
    if (!data) return;
    try {
      const saved = await saveRecord(target, record, data);
      if (!saved) return say(t('No changes to save.'));
      guard.current = false;
      say(record ? t('Record saved.') : t('Record created.'));
      onSaved(saved);
    } catch (error) {
      views.refuse(error as Error);
    }
  };
  const discard = () => {
    guard.current = false;
  };
  return { ...views, save, discard, hasChanges: () => guard.current };
}

/** The form and the JSON of a record. Switching loses nothing: what cannot be read must be fixed first. */
function useViews({ record, schema, template, known, readOnly }: RecordDialogProps) {
  const before = useRef(record?.data ?? {}).current;
  const toDrafts = (data: Data) => makeDrafts(data, schema, record ? {} : known);
  const [drafts, setDrafts] = useState(() => toDrafts(before));
  const [text, setText] = useState(() => toText(record?.data ?? template));
  const [view, setView] = useState<View>(() => (drafts.length === 0 || readOnly ? 'json' : 'form'));
  const [{ faults, failure }, setProblem] = useState<Problem>(NO_PROBLEM);
  const editor = useRef<Editor>(undefined);

  const now = view === 'json' ? parseJson(text).value : readLoosely(drafts);
  const isSame = isObject(now) && [before, template].some((old) => toChange(old, now).kind === 'none');

  /** The record as it is on the screen. Undefined if it has errors, which are then shown. */
  const read = (): Data | undefined => {
    const found = view === 'form' ? readForm(drafts) : readJson(text);
    setProblem(found.problem ?? NO_PROBLEM);
    if (found.fault) editor.current?.showFaults([found.fault]);
    return found.data;
  };
  const switchTo = (next: View) => {
    if (next === view) return;
    // A required field may still be empty: JSON can show that.
    const data = view === 'form' ? readLoosely(drafts) : read();
    if (!data) return void read();
    setProblem(NO_PROBLEM);
    if (next === 'json') setText(toText(record ? data : { ...template, ...data }));
    else setDrafts(toDrafts(data));
    setView(next);
  };
  const refuse = (error: Error) => {
    setProblem(view === 'form' ? toProblem(drafts, error) : { ...NO_PROBLEM, failure: error });
    if (view === 'json' && error instanceof ApiError)
      editor.current?.showFaults(faultsAt(text, error.details, 'data'));
  };
  const attach = (ready: Editor) => {
    editor.current = ready;
  };
  const state = { view, drafts, text, faults, failure, isSame };
  return { ...state, read, refuse, switchTo, attach, changeForm: setDrafts, changeText: setText };
}

interface Problem {
  /** Errors by the name of the field. */
  faults: ReadonlyMap<string, string>;
  failure: Error | undefined;
}

const NO_PROBLEM: Problem = { faults: new Map(), failure: undefined };

interface Read {
  data?: Data;
  problem?: Problem;
  fault?: Fault;
}

function readForm(drafts: FieldDraft[]): Read {
  const { data, faults } = readRecord(drafts);
  return faults.size === 0 ? { data } : { problem: { faults, failure: new Error(sayFaults(faults.size)) } };
}

function readJson(text: string): Read {
  const { value, fault } = parseJson(text);
  if (!fault && isObject(value)) return { data: value };
  const message = fault
    ? t('This is not valid JSON: {message}.', { message: fault.message })
    : t('A record must be a JSON object: { … }.');
  return { problem: { ...NO_PROBLEM, failure: new Error(message) }, ...(fault && { fault }) };
}

/** What the service refused, at the fields that it concerns. */
function toProblem(drafts: FieldDraft[], error: Error): Problem {
  if (!(error instanceof ApiError)) return { ...NO_PROBLEM, failure: error };
  const names = drafts.map(({ name }) => name);
  const { faults, others } = faultsByField(names, error.details);
  const words = [sayFaults(faults.size), ...others].join(' ');
  return { faults, failure: faults.size > 0 ? new Error(words) : error };
}

export type RecordEditing = ReturnType<typeof useRecordEditing>;

const sayFaults = (count: number) =>
  t(
    '{count|One field needs a change. It is marked above.|{count} fields need a change. They are marked above.}',
    {
      count,
    },
  );

/** Missing required fields do not matter here, everything else does. */
function readLoosely(drafts: FieldDraft[]): Data | undefined {
  const { data, faults } = readRecord(drafts);
  const isOnlyMissing = drafts.every(({ name, typed }) => !faults.has(name) || typed.trim() === '');
  return isOnlyMissing ? data : undefined;
}
