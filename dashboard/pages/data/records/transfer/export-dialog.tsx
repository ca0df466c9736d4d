import { useEffect, useRef, useState } from 'preact/hooks';
import { t } from '../../../../texts/index.ts';
import { Dialog, Form, Progress, Select, saveFile, say } from '../../../../ui/index.ts';
import type { CollectionTarget, Filter } from '../../api.ts';
import { exportRecords, type Format } from './export.ts';

interface Props {
  target: CollectionTarget;
  filter: Filter;
  /** How many records match it. */
  total: number;
  onClose: () => void;
}

/** Exports the records that match the filter, or all of them. */
export function ExportDialog({ target, filter, total, onClose }: Props) {
  const [format, setFormat] = useState<Format>('ndjson');
  const [scope, setScope] = useState<'filtered' | 'all'>('filtered');
  const hasFilter = filter.where !== undefined || filter.q !== undefined;
  const { progress, save } = useExport(target, total, onClose);
  return (
    <Dialog title={t('Export {collection}', { collection: target.collection })} onClose={onClose}>
      <Form
        submit={t('Export')}
        onSubmit={() => save(format, scope === 'filtered' ? filter : {})}
        onCancel={onClose}
      >
        {hasFilter && (
          <Select
            label={t('Records')}
            value={scope}
            options={[
              [
                'filtered',
                t('{total|The record that matches the filter|The {total} records that match the filter}', {
                  total,
                }),
              ],
              ['all', t('All records of the collection')],
            ]}
            onChange={setScope}
          />
        )}
        <Select
          label={t('Format')}
          value={format}
          options={[
            ['ndjson', t('NDJSON: complete, one record per line')],
            ['json', t('JSON: complete, one array')],
            ['csv', t('CSV: for spreadsheets')],
          ]}
          onChange={setFormat}
          hint={
            format === 'csv'
              ? t('Lists and objects become JSON. Text that starts like a formula gets an apostrophe.')
              : t('You can import it again, here or in another collection.')
          }
        />
        {progress && <Progress label={t('Exporting')} {...progress} />}
      </Form>
    </Dialog>
  );
}

function useExport(target: CollectionTarget, total: number, onDone: () => void) {
  const [progress, setProgress] = useState<{ done: number; total: number }>();
  const work = useRef(new AbortController());
  useEffect(() => () => work.current.abort(), []);
  const save = async (format: Format, filter: Filter) => {
    setProgress({ done: 0, total });
    try {
      const { file, count } = await exportRecords(target, format, {
        filter,
        signal: work.current.signal,
        onProgress: (done, all) => setProgress({ done, total: all }),
      });
      const name = `${target.collection}.${format}`;
      saveFile(name, file);
      say(t('{count|Saved 1 record as {name}.|Saved {count} records as {name}.}', { count, name }));
      onDone();
    } catch (error) {
      if (!work.current.signal.aborted) throw error;
    } finally {
      setProgress(undefined);
    }
  };
  return { progress, save };
}
