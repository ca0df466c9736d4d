import { useEffect, useRef, useState } from 'preact/hooks';
import { Button, Dialog, Field, Form, formatNumber, Progress, plural } from '../../../ui/index.ts';
import type { CollectionPlace } from '../api.ts';
import { importLines, type ReadFile, type Refusal, readLines } from './import.ts';

const MAX_BYTES = 50 * 1024 * 1024;
const MAX_SHOWN = 200;

interface Props {
  place: CollectionPlace;
  onDone: () => void;
  onClose: () => void;
}

/** Imports records from a file and lists the lines that were refused. */
export function ImportDialog({ place, onDone, onClose }: Props) {
  const { file, done, refused, outcome, choose, add } = useImport(place, onDone);
  const count = file?.lines.length ?? 0;
  return (
    <Dialog title={`Import into ${place.collection}`} wide onClose={onClose}>
      <Form
        submit={count ? `Add ${plural(count, 'record')}` : 'Add records'}
        disabled={count === 0}
        onSubmit={add}
        aside={
          <Button kind="quiet" onClick={onClose}>
            {outcome ? 'Close' : 'Cancel'}
          </Button>
        }
      >
        <Field
          label="File"
          hint="NDJSON or a JSON array, for example an export of another collection. Records get new ids, and you become their author."
        >
          {(attributes) => (
            <input
              {...attributes}
              type="file"
              accept=".ndjson,.jsonl,.json,application/json,application/x-ndjson"
              onChange={(event) => choose(event.currentTarget.files?.[0])}
            />
          )}
        </Field>
        {done !== undefined && <Progress label="Adding" done={done} total={count} />}
        {outcome && (
          <p class="notice" role="status">
            {outcome}
          </p>
        )}
        <Refused refused={refused} />
      </Form>
    </Dialog>
  );
}

function useImport(place: CollectionPlace, onDone: () => void) {
  const [file, setFile] = useState<ReadFile>();
  const [done, setDone] = useState<number>();
  const [refused, setRefused] = useState<Refusal[]>([]);
  const [outcome, setOutcome] = useState<string>();
  const work = useRef(new AbortController());
  useEffect(() => () => work.current.abort(), []);

  const choose = async (chosen: File | undefined) => {
    setOutcome(undefined);
    if (!chosen) return setFile(undefined);
    if (chosen.size > MAX_BYTES) {
      setFile(undefined);
      return setOutcome('The file is larger than 50 MB. Split it and import the parts.');
    }
    const read = readLines(await chosen.text());
    setFile(read);
    setRefused(read.refused);
  };
  const add = async () => {
    if (!file) return;
    let added = 0;
    const refusals = [...file.refused];
    try {
      await importLines(place, file.lines, {
        signal: work.current.signal,
        onProgress: (count) => {
          added = count - (refusals.length - file.refused.length);
          setDone(count);
        },
        onRefused: (refusal) => refusals.push(refusal),
      });
    } finally {
      setDone(undefined);
      setRefused([...refusals].sort((a, b) => a.number - b.number));
      setOutcome(`Added ${plural(added, 'record')}.`);
      // A second click must not add the records again.
      setFile(undefined);
      onDone();
    }
  };
  return { file, done, refused, outcome, choose, add };
}

function Refused({ refused }: { refused: Refusal[] }) {
  if (refused.length === 0) return null;
  return (
    <section class="data-refused" aria-label="Refused lines">
      <h3>{plural(refused.length, 'line')} refused</h3>
      <ul>
        {refused.slice(0, MAX_SHOWN).map(({ number, reason }) => (
          <li key={number}>
            <strong>Line {formatNumber(number)}</strong> {reason}
          </li>
        ))}
      </ul>
      {refused.length > MAX_SHOWN && <p class="hint">Only the first {MAX_SHOWN} are shown.</p>}
    </section>
  );
}
