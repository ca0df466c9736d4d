import { useState } from 'preact/hooks';
import { isCollectionName, MAX_COLLECTION_NAME } from '../../../contract/rules/collection-names.ts';
import { Link, navigate } from '../../router.tsx';
import { t } from '../../texts/index.ts';
import {
  Button,
  type Column,
  Dialog,
  Empty,
  Form,
  formatAgo,
  formatMoment,
  formatNumber,
  Section,
  Show,
  Skeleton,
  Table,
  TextField,
  useLoad,
} from '../../ui/index.ts';
import { type Collection, type DataTarget, listCollections, toDataScreen } from './api.ts';

const ACCESS: Record<DataTarget['type'], string> = {
  solo_data: t('Each visitor has private records. You see only your own, even as the owner of the page.'),
  team_data: t('The team of this page shares these records. The owner and admins can edit all of them.'),
  social_data: t(
    'Anyone can read these records. Only the author can edit a record. As the owner of the page, you can delete any.',
  ),
};

/** The collections of a page. */
export function CollectionsScreen({ target }: { target: DataTarget }) {
  const loaded = useLoad((signal) => listCollections(target, signal), [target.pageId, target.type]);
  const [isAdding, setAdding] = useState(false);
  const add = (
    <Button kind="quiet" onClick={() => setAdding(true)}>
      {t('New collection')}
    </Button>
  );
  return (
    <>
      <Section title={t('Collections')} hint={ACCESS[target.type]} actions={add}>
        <Show loaded={loaded} skeleton={<Skeleton kind="rows" lines={5} />}>
          {(collections) =>
            collections.length === 0 ? (
              <Empty icon="database" title={t('No records yet')}>
                {t('A collection appears when you or the page create its first record.')}
              </Empty>
            ) : (
              <div class="stacks">
                <Table
                  caption={t('Collections')}
                  columns={listColumns(target)}
                  rows={collections}
                  getKey={({ name }) => name}
                />
              </div>
            )
          }
        </Show>
      </Section>
      {isAdding && <NewCollection target={target} onClose={() => setAdding(false)} />}
    </>
  );
}

const listColumns = (target: DataTarget): Array<Column<Collection>> => [
  {
    title: t('Name'),
    cell: ({ name }) => (
      <Link class="data-name" href={toDataScreen(target, name)}>
        {name}
      </Link>
    ),
  },
  { title: t('Records'), isNumber: true, cell: ({ recordCount }) => formatNumber(recordCount) },
  {
    title: t('Last update'),
    isMinor: true,
    cell: ({ lastUpdated }) =>
      lastUpdated ? (
        <time dateTime={lastUpdated} title={formatMoment(lastUpdated)}>
          {formatAgo(lastUpdated)}
        </time>
      ) : (
        <span class="faint">{t('Never')}</span>
      ),
  },
  {
    title: t('Schema'),
    cell: ({ name, hasSchema }) => (
      <Link
        href={toDataScreen(target, name, 'schema')}
        label={hasSchema ? t('Edit the schema of {name}', { name }) : t('Add a schema to {name}', { name })}
      >
        {hasSchema ? t('Edit') : t('Add')}
      </Link>
    ),
  },
];

function NewCollection({ target, onClose }: { target: DataTarget; onClose: () => void }) {
  const [name, setName] = useState('');
  const isName = isCollectionName(name);
  const open = async () => navigate(toDataScreen(target, name));
  return (
    <Dialog title={t('New collection')} onClose={onClose}>
      <Form submit={t('Continue')} disabled={!isName} onSubmit={open} onCancel={onClose}>
        <TextField
          label={t('Name')}
          mono
          autofocus
          value={name}
          onInput={setName}
          maxLength={MAX_COLLECTION_NAME}
          placeholder={t('tasks')}
          error={name && !isName ? t('Use only a-z, 0-9 and _, and start with a letter.') : undefined}
          hint={t('The collection is created with its first record or schema, which you add next.')}
        />
      </Form>
    </Dialog>
  );
}
