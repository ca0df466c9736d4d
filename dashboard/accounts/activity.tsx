import { useState } from 'preact/hooks';
import type { ActivityEntry, ActivityList } from '../../contract/admin/audit.ts';
import { serviceEndpoints } from '../../contract/admin/service-endpoints.ts';
import { call } from '../api.ts';
import { t } from '../texts/index.ts';
import {
  Button,
  type Column,
  describeAction,
  Empty,
  formatMoment,
  nameActor,
  Section,
  Show,
  Table,
  useLoad,
} from '../ui/index.ts';

const read = (before?: number, signal?: AbortSignal) =>
  call(serviceEndpoints.listActivity, { query: { limit: 25, before }, signal });

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
      title={t('Activity by administrators')}
      hint={t('What administrators of this service did to your account, pages and functions.')}
    >
      <Show loaded={first}>
        {({ entries }) =>
          entries.length === 0 ? (
            <Empty icon="history" title={t('Nothing so far')}>
              {t('No administrator has changed anything of yours.')}
            </Empty>
          ) : (
            <>
              <Table
                caption={t('Activity by administrators')}
                rows={[...entries, ...(more?.entries ?? [])]}
                getKey={({ id }) => id}
                columns={COLUMNS}
              />
              {next !== null && (
                <div class="pager">
                  <Button kind="quiet" onClick={loadMore}>
                    {t('Load more')}
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
  { title: t('When'), cell: ({ at }) => formatMoment(at) },
  {
    title: t('What'),
    cell: (entry) => (
      <div class="account-app">
        <div>
          <strong>{nameActor(entry)}</strong> {describeAction(entry)}
        </div>
      </div>
    ),
  },
];
