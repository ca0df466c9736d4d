import { useState } from 'preact/hooks';
import { t } from '../../texts/index.ts';
import {
  ACTION_GROUPS,
  Button,
  describeAction,
  describePlace,
  Empty,
  Failure,
  Field,
  formatMoment,
  nameActor,
  Section,
  Select,
  Show,
  Skeleton,
  TextField,
  useLoad,
  useSettled,
} from '../../ui/index.ts';
import { type AuditFilter, type AuditRecord, readAudit } from '../api.ts';

/** Who did what, when and from where. */
export function AuditScreen({ item }: { item?: string | undefined }) {
  const [actor, setActor] = useState('');
  const [target, setTarget] = useState(item ?? '');
  const [action, setAction] = useState<(typeof ACTION_GROUPS)[number][0]>('');
  const [from, setFrom] = useState('');
  const [to, setTo] = useState('');
  const filter = {
    ...{ action, actor: useSettled(actor.trim()), target: useSettled(target.trim()) },
    ...{ from: toDayStart(from), to: toDayEnd(to) },
  };
  const key = JSON.stringify(filter);
  return (
    <Section
      title={t('Audit log')}
      hint={t(
        'What administrators and the operator did in the last 400 days. Users can see what was done to their own account, pages and functions.',
      )}
    >
      <div class="admin-filters">
        <TextField
          label={t('Who')}
          type="search"
          placeholder={t('Username')}
          value={actor}
          onInput={setActor}
        />
        <Select label={t('What')} value={action} options={ACTION_GROUPS} onChange={setAction} />
        <TextField
          label={t('Target')}
          type="search"
          placeholder={t('Name or slug')}
          value={target}
          onInput={setTarget}
        />
        <DateField label={t('From')} value={from} onInput={setFrom} />
        <DateField label={t('To')} value={to} onInput={setTo} />
      </div>
      <Entries key={key} filter={filter} isFiltered={Object.values(filter).some((value) => value !== '')} />
    </Section>
  );
}

function DateField(props: { label: string; value: string; onInput: (value: string) => void }) {
  return (
    <Field label={props.label}>
      {(attributes) => (
        <input
          {...attributes}
          type="date"
          value={props.value}
          onInput={(event) => props.onInput((event.target as HTMLInputElement).value)}
        />
      )}
    </Field>
  );
}

/** Days are in the time zone of the administrator's browser. */
const toDayStart = (day: string) => (day === '' ? '' : new Date(`${day}T00:00:00`).toISOString());
const toDayEnd = (day: string) => (day === '' ? '' : new Date(`${day}T23:59:59.999`).toISOString());

function Entries({ filter, isFiltered }: { filter: AuditFilter; isFiltered: boolean }) {
  const first = useLoad((signal) => readAudit(filter, undefined, signal), []);
  const [more, setMore] = useState<{ entries: AuditRecord[]; next: number | null }>();
  const [failure, setFailure] = useState<Error>();
  const next = more ? more.next : (first.value?.next ?? null);
  const loadMore = async () => {
    setFailure(undefined);
    try {
      const list = await readAudit(filter, next ?? undefined);
      setMore({ entries: [...(more?.entries ?? []), ...list.entries], next: list.next });
    } catch (error) {
      setFailure(error as Error);
    }
  };
  return (
    <Show loaded={first} skeleton={<Skeleton kind="rows" lines={12} />}>
      {({ entries }) =>
        entries.length === 0 ? (
          <Empty icon="search" title={t('No entries found')}>
            {isFiltered ? t('No entry matches these filters.') : t('There are no entries yet.')}
          </Empty>
        ) : (
          <>
            <ol class="admin-log">
              {[...entries, ...(more?.entries ?? [])].map((entry) => (
                <Entry key={entry.id} entry={entry} />
              ))}
            </ol>
            {failure && <Failure error={failure} retry={loadMore} />}
            {next !== null && !failure && (
              <div class="admin-more">
                <Button kind="quiet" onClick={loadMore}>
                  {t('Load more')}
                </Button>
              </div>
            )}
          </>
        )
      }
    </Show>
  );
}

function Entry({ entry }: { entry: AuditRecord }) {
  return (
    <li>
      <p>
        <strong>{nameActor(entry)}</strong> {describeAction(entry)}
      </p>
      <p class="faint">
        <time dateTime={entry.at}>{formatMoment(entry.at)}</time> {describePlace(entry)}
      </p>
    </li>
  );
}
