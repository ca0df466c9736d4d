import { useEffect, useRef, useState } from 'preact/hooks';
import { t } from '../../../../texts/index.ts';
import type { CollectionSchema, CollectionTarget } from '../../api.ts';
import { type CsvColumn, type CsvFile, readCsv, readRecords } from './csv-columns.ts';
import { importLines, type ReadFile, type RefusedLine, readLines } from './import.ts';

const MAX_BYTES = 50 * 1024 * 1024;

/** The state of an import: a file, its columns, the progress and the result. */
export function useImport(target: CollectionTarget, schema: CollectionSchema | null, onDone: () => void) {
  const [file, setFile] = useState<ReadFile>();
  const [csv, setCsv] = useState<CsvFile>();
  const [done, setDone] = useState<number>();
  const [refused, setRefused] = useState<RefusedLine[]>([]);
  const [outcome, setOutcome] = useState<string>();
  const isCanceled = useCancel();
  const show = (read: ReadFile | undefined) => {
    setFile(read);
    setRefused(read?.refused ?? []);
  };
  const choose = async (chosen: File | undefined) => {
    setOutcome(undefined);
    setCsv(undefined);
    show(undefined);
    if (!chosen) return;
    if (chosen.size > MAX_BYTES)
      return setOutcome(t('The file is larger than 50 MB. Split it and import the parts.'));
    const text = await chosen.text();
    if (!isCsv(chosen.name, text)) return show(readLines(text));
    const read = readCsv(text, schema);
    setCsv(read);
    show(readRecords(read, read.columns));
  };
  const map = (columns: CsvColumn[]) => {
    if (!csv) return;
    setCsv({ ...csv, columns });
    show(readRecords(csv, columns));
  };
  const add = async () => {
    if (!file) return;
    isCanceled.current = false;
    const tally = new Tally(file);
    try {
      await importLines(target, file.lines, {
        isCanceled: () => isCanceled.current,
        onProgress: (count) => {
          tally.tried = count;
          setDone(count);
        },
        onRefused: (refusal) => tally.refused.push(refusal),
      });
    } finally {
      setDone(undefined);
      // A second click must not add the records again.
      show(undefined);
      setCsv(undefined);
      setRefused(tally.sorted());
      setOutcome(tally.say());
      onDone();
    }
  };
  const cancel = () => {
    isCanceled.current = true;
  };
  return { file, csv, done, refused, outcome, choose, map, add, cancel };
}

/** Set when the person cancels, also by leaving the screen. */
function useCancel() {
  const isCanceled = useRef(false);
  useEffect(
    () => () => {
      isCanceled.current = true;
    },
    [],
  );
  return isCanceled;
}

/** What has become of the lines of a file. */
class Tally {
  tried = 0;
  readonly refused: RefusedLine[];

  constructor(private readonly file: ReadFile) {
    this.refused = [...file.refused];
  }

  sorted(): RefusedLine[] {
    return this.refused.toSorted((a, b) => a.number - b.number);
  }

  say(): string {
    const added = this.tried - (this.refused.length - this.file.refused.length);
    const left = this.file.lines.length - this.tried;
    const words = t('{added|Added 1 record.|Added {added} records.}', { added });
    return left > 0 ? `${words} ${t('{left} were not tried.', { left })}` : words;
  }
}

/** By the name of the file; otherwise by its first character, which is never a bracket in CSV with titles. */
function isCsv(name: string, text: string): boolean {
  if (/\.(csv|tsv)$/i.test(name)) return true;
  return !/\.(json|jsonl|ndjson)$/i.test(name) && !/^\s*[[{]/.test(text);
}
