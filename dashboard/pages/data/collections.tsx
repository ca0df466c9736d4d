import { useState } from 'preact/hooks';
import { Link, navigate } from '../../router.tsx';
import {
  Badge,
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
  Table,
  TextField,
  useLoad,
} from '../../ui/index.ts';
import { type Collection, listCollections, type Place, screenOf } from './api.ts';

const WHOSE: Record<Place['type'], string> = {
  'solo-data':
    'Each visitor has records of their own. Here you see only yours; nobody else’s, not even as owner.',
  'team-data': 'Records that the team of this page shares. Its owner and admins may change all of them.',
  'social-data':
    'Records that everybody can read. Only who made one may change it; you as the owner may delete any.',
};

/** The collections of a page. */
export function CollectionsScreen({ place }: { place: Place }) {
  const loaded = useLoad((signal) => listCollections(place, signal), [place.pageId, place.type]);
  const [isAdding, setAdding] = useState(false);
  const add = (
    <Button kind="quiet" onClick={() => setAdding(true)}>
      New collection
    </Button>
  );
  return (
    <>
      <Section title="Collections" hint={WHOSE[place.type]} actions={add}>
        <Show loaded={loaded}>
          {(collections) =>
            collections.length === 0 ? (
              <Empty title="No records yet">
                A collection appears with its first record, whether the page’s script makes it or you do.
              </Empty>
            ) : (
              <Table
                caption="Collections"
                columns={columnsOf(place)}
                rows={collections}
                keyOf={({ name }) => name}
              />
            )
          }
        </Show>
      </Section>
      {isAdding && <NewCollection place={place} onClose={() => setAdding(false)} />}
    </>
  );
}

const columnsOf = (place: Place): Array<Column<Collection>> => [
  {
    title: 'Name',
    cell: ({ name }) => (
      <Link class="data-name" href={screenOf(place, name)}>
        {name}
      </Link>
    ),
  },
  { title: 'Records', isNumber: true, cell: ({ recordCount }) => formatNumber(recordCount) },
  {
    title: 'Last update',
    isMinor: true,
    cell: ({ lastUpdated }) =>
      lastUpdated ? (
        <time dateTime={lastUpdated} title={formatMoment(lastUpdated)}>
          {formatAgo(lastUpdated)}
        </time>
      ) : (
        <span class="faint">never</span>
      ),
  },
  {
    title: 'Schema',
    cell: ({ name, hasSchema }) => (
      <Link
        href={screenOf(place, name, 'schema')}
        label={hasSchema ? `Checked: edit the schema of ${name}` : `Add a schema to ${name}`}
      >
        {hasSchema ? <Badge kind="good">Checked</Badge> : 'Add'}
      </Link>
    ),
  },
];

function NewCollection({ place, onClose }: { place: Place; onClose: () => void }) {
  const [name, setName] = useState('');
  const isName = /^[a-z][a-z0-9_]{0,99}$/.test(name);
  const open = async () => navigate(screenOf(place, name));
  return (
    <Dialog title="New collection" onClose={onClose}>
      <Form submit="Go on" disabled={!isName} onSubmit={open}>
        <TextField
          label="Name"
          mono
          autofocus
          value={name}
          onInput={setName}
          maxLength={100}
          placeholder="tasks"
          error={name && !isName ? 'Small letters, digits and _ only, beginning with a letter.' : undefined}
          hint="It is there once it has a record or a schema, which you add next."
        />
      </Form>
    </Dialog>
  );
}
