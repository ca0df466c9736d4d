import type { ComponentChildren } from 'preact';
import { me } from '../session.ts';
import {
  Badge,
  Copyable,
  Empty,
  Failure,
  type Loaded,
  ScreenHead,
  Show,
  Skeleton,
  Tabs,
  useLoad,
} from '../ui/index.ts';
import { type FunctionDetail, pathOf, readFunction } from './api.ts';
import { CodePart } from './code/index.tsx';
import { DatabasePart } from './database/index.tsx';
import { LogsPart } from './logs/index.tsx';
import { BUILTIN, nameOf, PLATFORM } from './names.ts';
import { SchedulesPart } from './schedules/index.tsx';
import { SecretsPart } from './secrets.tsx';
import { SettingsPart } from './settings.tsx';
import { StatisticsPart } from './statistics.tsx';
import { VersionsPart } from './versions.tsx';

interface Props {
  slug: string;
  part: string;
  detail: string;
}

/** One function: its head, and the tab that the path names. */
export function FunctionScreen({ slug, part, detail }: Props) {
  const loaded = useLoad((signal) => readFunction(slug, signal), [slug]);
  if (loaded.error && !loaded.value) {
    return (
      <>
        <PlainHead slug={slug} />
        <Failure error={loaded.error} retry={loaded.reload} />
      </>
    );
  }
  return (
    <Show loaded={loaded} skeleton={<Waiting slug={slug} />}>
      {(item) => (
        <>
          <Head item={item} />
          {!me.value ? (
            <Skeleton lines={8} />
          ) : me.value.username !== item.owner ? (
            <Empty title="You cannot edit this function">
              {item.description}{' '}
              {item.slug === BUILTIN && item.owner === PLATFORM
                ? 'It is part of Quire.'
                : `It belongs to ${item.owner}. Only the owner can see its code and logs.`}
            </Empty>
          ) : (
            <Parts item={item} part={part} detail={detail} loaded={loaded} />
          )}
        </>
      )}
    </Show>
  );
}

function Waiting({ slug }: { slug: string }) {
  return (
    <>
      <PlainHead slug={slug} />
      <Skeleton lines={8} />
    </>
  );
}

/** The head while the function is loading, or if it cannot be loaded. */
function PlainHead({ slug }: { slug: string }) {
  return <ScreenHead title={slug} back={{ href: '/functions', label: 'Functions' }} />;
}

function Head({ item }: { item: FunctionDetail }) {
  const apiUrl = location.origin + pathOf(item.slug);
  return (
    <>
      <ScreenHead
        title={nameOf(item)}
        back={{ href: '/functions', label: 'Functions' }}
        note={
          <>
            {item.isPublic ? <Badge kind="good">Public</Badge> : <Badge kind="warn">Private</Badge>}
            {item.hasDatabase && <Badge>Database</Badge>}
          </>
        }
      />
      <dl class="fn-addresses">
        <div>
          <dt>API</dt>
          <dd>
            <Copyable text={apiUrl} label="API URL" />
          </dd>
        </div>
        {item.workerUrl !== apiUrl && (
          <div>
            <dt>Own host</dt>
            <dd>
              <Copyable text={item.workerUrl} label="Host URL" />
            </dd>
          </div>
        )}
      </dl>
    </>
  );
}

function Parts({
  item,
  part,
  detail,
  loaded,
}: {
  item: FunctionDetail;
  part: string;
  detail: string;
  loaded: Loaded<FunctionDetail>;
}) {
  const { slug } = item;
  const parts: Array<[name: string, label: string, content: () => ComponentChildren]> = [
    ['', 'Code', () => <CodePart item={item} onDeployed={loaded.set} />],
    ['versions', 'Versions', () => <VersionsPart slug={slug} chosen={detail} />],
    ['logs', 'Logs', () => <LogsPart slug={slug} />],
    ['database', 'Database', () => <DatabasePart slug={slug} detail={detail} />],
    ['schedules', 'Schedules', () => <SchedulesPart item={item} onChange={loaded.set} />],
    ['secrets', 'Secrets', () => <SecretsPart slug={slug} />],
    ['statistics', 'Statistics', () => <StatisticsPart slug={slug} />],
    ['settings', 'Settings', () => <SettingsPart item={item} onChange={loaded.set} />],
  ];
  const available = parts.filter(([name]) => name !== 'database' || item.hasDatabase);
  const current = available.find(([name]) => name === part);
  return (
    <>
      <Tabs
        base={`/functions/${slug}`}
        current={part}
        tabs={available.map(([name, label]): [string, string] => [name, label])}
      />
      {current ? (
        current[2]()
      ) : part === 'database' ? (
        <Empty title="No database">
          This function was created without a database, and one cannot be added later. Create a new function
          to use a database.
        </Empty>
      ) : (
        <Empty title="Not found">There is no screen at this URL.</Empty>
      )}
    </>
  );
}
