import { useEffect, useRef, useState } from 'preact/hooks';
import { Dialog, Form, Progress, plural, Select, saveFile, say } from '../../../ui/index.ts';
import type { CollectionPlace } from '../api.ts';
import { exportRecords, type Format } from './export.ts';

interface Props {
  place: CollectionPlace;
  where: string | undefined;
  total: number;
  onClose: () => void;
}

/** Exports the records that match the filter. */
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
      say(`Saved ${place.collection}.${format}.`);
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
        {where ? 'Exports only records that match the filter: ' : ''}
        {plural(total, 'record')}, oldest first.
      </p>
      <Form submit="Export" onSubmit={save} onCancel={onClose}>
        <Select
          label="Format"
          value={format}
          options={[
            ['ndjson', 'NDJSON: complete, one record per line'],
            ['csv', 'CSV: for spreadsheets'],
          ]}
          onChange={setFormat}
          hint={
            format === 'csv'
              ? 'Lists and objects become JSON. Text that starts like a formula gets an apostrophe.'
              : 'You can import it again, here or in another collection.'
          }
        />
        {progress && <Progress label={`Exporting ${plural(progress.total, 'record')}`} {...progress} />}
      </Form>
    </Dialog>
  );
}
