import { t } from '../../../texts/index.ts';
import { Button, Empty } from '../../../ui/index.ts';
import type { Records } from './use-records.ts';

interface Props {
  records: Records;
  onNew: () => void;
  onImport: () => void;
}

/** What stands in the place of a table without rows. */
export function NoRecords({ records: { isFiltered, listing, schema, place, ask }, onNew, onImport }: Props) {
  // Somebody has deleted records, or typed a page that does not exist.
  if (listing && listing.total > 0)
    return (
      <Empty
        title={t('Nothing on this page')}
        action={
          <Button kind="quiet" onClick={() => ask({ page: 1 })}>
            {t('Go to the first page')}
          </Button>
        }
      />
    );
  if (isFiltered)
    return (
      <Empty
        icon="search"
        title={t('No records found')}
        action={
          <Button kind="quiet" onClick={() => ask({ query: '', where: undefined })}>
            {t('Show all records')}
          </Button>
        }
      >
        {place.query === ''
          ? t('No record matches the filter.')
          : schema?.search?.length
            ? t('No record has “{words}” in {fields}.', {
                words: place.query,
                fields: schema.search.join(', '),
              })
            : t('No record has “{words}” in one of its fields.', { words: place.query })}
      </Empty>
    );
  return (
    <Empty
      icon="database"
      title={t('No records yet')}
      action={
        <>
          <Button onClick={onNew}>{t('Add a record')}</Button>
          <Button kind="quiet" onClick={onImport}>
            {t('Import a file')}
          </Button>
        </>
      }
    >
      {t('Records appear here when visitors of the page save them.')}
    </Empty>
  );
}
