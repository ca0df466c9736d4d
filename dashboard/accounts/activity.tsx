import { useState } from 'preact/hooks';
import type { ActivityEntry, ActivityList } from '../../contract/people/audit.ts';
import { api } from '../api.ts';
import {
  Button,
  type Column,
  describeAction,
  Empty,
  formatMoment,
  Section,
  Show,
  Table,
  useLoad,
} from '../ui/index.ts';

const read = (before?: number, signal?: AbortSignal) =>
  api.get<ActivityList>(`/api/auth/activity?limit=25${before === undefined ? '' : `&before=${before}`}`, {
    ...(signal && { signal }),
  });

/** What administrators did to the account and to what it owns. */
export function ActivityScreen() {
  const first = useLoad((signal) => read(undefined, signal), []);
  const [more, setMore] = useState<ActivityList>();
  const next = more ? more.next : (first.value?.next ?? null);
  const loadMore = async () => {
    const list = await read(next ?? undefined);
    setMore({ entries: [...(more?.entries ?? []), ...list.entries], next: list.next });
  };
  return (
    <Section
      title="Activity by administrators"
      hint="What administrators of this service did to your account, pages and functions."
    >
      <Show loaded={first}>
        {({ entries }) =>
          entries.length === 0 ? (
            <Empty icon="history" title="Nothing so far">
              No administrator has changed anything of yours.
            </Empty>
          ) : (
            <>
              <Table
                caption="Activity by administrators"
                rows={[...entries, ...(more?.entries ?? [])]}
                keyOf={({ id }) => id}
                columns={COLUMNS}
              />
              {next !== null && (
                <div class="pager">
                  <Button kind="quiet" onClick={loadMore}>
                    Load more
                  </Button>
                </div>
              )}
            </>
          )
        }
      </Show>
    </Section>
  );
}

const COLUMNS: Array<Column<ActivityEntry>> = [
  { title: 'When', cell: ({ at }) => formatMoment(at) },
  {
    title: 'What',
    cell: (entry) => (
      <div class="account-app">
        <div>
          <strong>{entry.actor}</strong> {describeAction(entry)}
        </div>
      </div>
    ),
  },
];
