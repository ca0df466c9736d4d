import { useEffect, useRef, useState } from 'preact/hooks';
import { Dialog, Form, formatNumber, Progress, plural, Select, saveFile, say } from '../../../ui/index.ts';
import type { CollectionPlace } from '../api.ts';
import { exportRecords, type Format } from './export.ts';

interface Props {
  place: CollectionPlace;
  where: string | undefined;
  total: number;
  onClose: () => void;
}

/** Saves the records that match as a file. */
export function ExportDialog({ place, where, total, onClose }: Props) {
  const [format, setFormat] = useState<Format>('ndjson');
  const [progress, setProgress] = useState<{ done: number; total: number }>();
  const work = useRef(new AbortController());
  useEffect(() => () => work.current.abort(), []);

  const save = async () => {
    setProgress({ done: 0, total });
    try {
      const file = await exportRecords(place, format, {
        ...(where && { where }),
        signal: work.current.signal,
        onProgress: (done, all) => setProgress({ done, total: all }),
      });
      saveFile(`${place.collection}.${format}`, file);
      say(`${place.collection}.${format} saved.`);
      onClose();
    } catch (error) {
      if (!work.current.signal.aborted) throw error;
    } finally {
      setProgress(undefined);
    }
  };
  return (
    <Dialog title={`Export ${place.collection}`} onClose={onClose}>
      <p>
        {where ? 'The filter holds here too: ' : ''}
        {plural(total, 'record')}, oldest first.
      </p>
      <Form submit="Export" onSubmit={save} onCancel={onClose}>
        <Select
          label="Format"
          value={format}
          options={[
            ['ndjson', 'NDJSON: one record a line, nothing lost'],
            ['csv', 'CSV: for spreadsheets'],
          ]}
          onChange={setFormat}
          hint={
            format === 'csv'
              ? 'Lists and objects become JSON. Texts that begin like a formula get an apostrophe before them.'
              : 'Can be imported again, here or elsewhere.'
          }
        />
        {progress && <Progress label={`Reading ${formatNumber(progress.total)}`} {...progress} />}
      </Form>
    </Dialog>
  );
}
