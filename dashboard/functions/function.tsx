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
import { type FunctionDetail, place, readFunction } from './api.ts';
import { CodePart } from './code/index.tsx';
import { DatabasePart } from './database/index.tsx';
import { LogsPart } from './logs/index.tsx';
import { BUILTIN, nameOf, PLATFORM } from './names.ts';
import { SecretsPart } from './secrets.tsx';
import { SettingsPart } from './settings.tsx';
import { StatisticsPart } from './statistics.tsx';

interface Props {
  slug: string;
  part: string;
  detail: string;
}

/** One function: its head, and the part of it that the address names. */
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
            <Empty title="Not yours to change">
              {item.description}{' '}
              {item.slug === BUILTIN && item.owner === PLATFORM
                ? 'It comes with Quire.'
                : `It belongs to ${item.owner}, who alone sees its code and logs.`}
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

/** The head of what is not known yet, or never will be. */
function PlainHead({ slug }: { slug: string }) {
  return <ScreenHead title={slug} back={{ href: '/functions', label: 'Functions' }} />;
}

function Head({ item }: { item: FunctionDetail }) {
  const apiAddress = location.origin + place(item.slug);
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
            <Copyable text={apiAddress} label="API address" />
          </dd>
        </div>
        {item.workerUrl !== apiAddress && (
          <div>
            <dt>Own host</dt>
            <dd>
              <Copyable text={item.workerUrl} label="Own address" />
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
    ['logs', 'Logs', () => <LogsPart slug={slug} />],
    ['database', 'Database', () => <DatabasePart slug={slug} detail={detail} />],
    ['secrets', 'Secrets', () => <SecretsPart slug={slug} />],
    ['statistics', 'Statistics', () => <StatisticsPart slug={slug} />],
    ['settings', 'Settings', () => <SettingsPart item={item} onChange={loaded.set} />],
  ];
  const there = parts.filter(([name]) => name !== 'database' || item.hasDatabase);
  const current = there.find(([name]) => name === part);
  return (
    <>
      <Tabs
        base={`/functions/${slug}`}
        current={part}
        tabs={there.map(([name, label]): [string, string] => [name, label])}
      />
      {current ? (
        current[2]()
      ) : part === 'database' ? (
        <Empty title="No database">
          This function was made without one. A database is chosen when a function is made; a new function can
          have one.
        </Empty>
      ) : (
        <Empty title="Nothing here">A function has no such part.</Empty>
      )}
    </>
  );
}
