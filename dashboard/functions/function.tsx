import type { ComponentChildren } from 'preact';
import { buildPath } from '../../contract/call.ts';
import { callEndpoints } from '../../contract/functions/call-endpoints.ts';
import { Link, onApproach, partsBehind } from '../router.tsx';
import { me } from '../session.ts';
import { t } from '../texts/index.ts';
import { BarTabs, ScreenBar, type Tab } from '../ui/bar/index.ts';
import {
  Badge,
  Empty,
  Failure,
  Icon,
  type Loaded,
  lazy,
  Menu,
  Show,
  Skeleton,
  type SkeletonKind,
  say,
  TakenDownNotice,
  useLoad,
} from '../ui/index.ts';
import { type FunctionDetail, readFunction } from './api.ts';
import { BUILTIN, chooseName, PLATFORM } from './names.ts';

/** What the tabs look like while they load. The others are text. */
const SHAPES: Record<string, SkeletonKind> = {
  '': 'code',
  versions: 'rows',
  logs: 'rows',
  database: 'rows',
  schedules: 'rows',
  triggers: 'rows',
  jobs: 'rows',
  secrets: 'rows',
  statistics: 'report',
};
const shape = (part: string) => () => <PartSkeleton part={part} />;

// Each tab is a file of its own.
const CodePart = lazy(() => import('./code/index.tsx').then((file) => file.CodePart));
const VersionsPart = lazy(
  () => import('./versions.tsx').then((file) => file.VersionsPart),
  shape('versions'),
);
const LogsPart = lazy(() => import('./logs/index.tsx').then((file) => file.LogsPart), shape('logs'));
const DatabasePart = lazy(
  () => import('../database/index.tsx').then((file) => file.DatabaseView),
  shape('database'),
);
const SchedulesPart = lazy(
  () => import('./schedules/index.tsx').then((file) => file.SchedulesPart),
  shape('schedules'),
);
const TriggersPart = lazy(
  () => import('./triggers/index.tsx').then((file) => file.TriggersPart),
  shape('triggers'),
);
const JobsPart = lazy(() => import('./jobs/index.tsx').then((file) => file.JobsPart), shape('jobs'));
const SecretsPart = lazy(() => import('./secrets.tsx').then((file) => file.SecretsPart), shape('secrets'));
const StatisticsPart = lazy(
  () => import('./statistics.tsx').then((file) => file.StatisticsPart),
  shape('statistics'),
);
const FunctionBranchBand = lazy(
  () => import('./branch-band.tsx').then((file) => file.FunctionBranchBand),
  () => null,
);
const SettingsPart = lazy(() => import('./settings.tsx').then((file) => file.SettingsPart));

const TABS: Record<string, { prefetch(): void }> = {
  '': CodePart,
  versions: VersionsPart,
  logs: LogsPart,
  database: DatabasePart,
  schedules: SchedulesPart,
  triggers: TriggersPart,
  jobs: JobsPart,
  secrets: SecretsPart,
  statistics: StatisticsPart,
  settings: SettingsPart,
};
onApproach((href) => {
  const [slug, tab = ''] = partsBehind('/functions', href) ?? [];
  if (slug) TABS[tab]?.prefetch();
});

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
        <Failure
          error={loaded.error}
          retry={loaded.reload}
          wayOut={<Link href="/functions">{t('Go to functions')}</Link>}
        />
      </>
    );
  }
  return (
    <Show loaded={loaded} skeleton={<Waiting slug={slug} part={part} />}>
      {(item) => (
        <>
          <Head item={item} part={part} />
          {!me.value ? (
            <PartSkeleton part={part} />
          ) : me.value.username !== item.owner ? (
            <Empty title={t('You cannot edit this function')}>
              {item.description}{' '}
              {item.slug === BUILTIN && item.owner === PLATFORM
                ? t('It is part of Quire.')
                : t('It belongs to {owner}. Only the owner can see its code and logs.', {
                    owner: item.owner,
                  })}
            </Empty>
          ) : (
            <Parts item={item} part={part} detail={detail} loaded={loaded} />
          )}
        </>
      )}
    </Show>
  );
}

function Waiting({ slug, part }: { slug: string; part: string }) {
  return (
    <>
      <PlainHead
        slug={slug}
        tabs={
          // The built-in function has no tabs.
          slug !== BUILTIN && (
            <BarTabs
              base={`/functions/${slug}`}
              current={part}
              tabs={listTabs({ hasDatabase: part === 'database' })}
            />
          )
        }
      />
      <PartSkeleton part={part} />
    </>
  );
}

function PartSkeleton({ part }: { part: string }) {
  const kind = SHAPES[part] ?? 'text';
  return <Skeleton kind={kind} {...(kind === 'text' && { lines: 8 })} />;
}

/** The head while the function is loading, or if it cannot be loaded. */
function PlainHead({ slug, tabs }: { slug: string; tabs?: ComponentChildren }) {
  return <ScreenBar title={slug} back={{ href: '/functions', label: t('functions') }} tabs={tabs} />;
}

function Head({ item, part }: { item: FunctionDetail; part: string }) {
  const isOwn = me.value?.username === item.owner;
  return (
    <>
      <ScreenBar
        title={chooseName(item)}
        back={{ href: '/functions', label: t('functions') }}
        facts={
          <>
            <Addresses item={item} />
            {item.takenDown ? (
              <Badge kind="bad">{t('Taken down')}</Badge>
            ) : item.isPublic ? (
              <Badge kind="good">{t('Public')}</Badge>
            ) : (
              <Badge kind="warn">{t('Private')}</Badge>
            )}
            {item.hasDatabase && <Badge>{t('Database')}</Badge>}
          </>
        }
        tabs={isOwn && <BarTabs base={`/functions/${item.slug}`} current={part} tabs={listTabs(item)} />}
      />
      {/* The addresses of branches have two hyphens, those of some other pages too. */}
      {isOwn && item.page?.slug.includes('--') && <FunctionBranchBand page={item.page} />}
      {item.takenDown && <TakenDownNotice what="function" {...item.takenDown} />}
    </>
  );
}

/** The URLs of the function, to copy. */
function Addresses({ item }: { item: FunctionDetail }) {
  const apiUrl = location.origin + buildPath(callEndpoints.callFunction, { params: { slug: item.slug } });
  const urls: Array<[string, string]> = [[t('API URL'), apiUrl]];
  if (item.workerUrl !== apiUrl) urls.push([t('Host URL'), item.workerUrl]);
  const copy = async (label: string, url: string) => {
    await navigator.clipboard.writeText(url);
    say(t('{label} copied.', { label }));
  };
  return (
    <Menu
      class="bar-button"
      label={t('Copy URL')}
      tip={t('Copy URL')}
      items={urls.map(([label, url]) => ({ label, note: url, onSelect: () => copy(label, url) }))}
    >
      <Icon name="copy" size={17} />
    </Menu>
  );
}

function listTabs({ hasDatabase }: Pick<FunctionDetail, 'hasDatabase'>): Tab[] {
  return [
    ['', t('Code')],
    ['versions', t('Versions')],
    ['logs', t('Logs')],
    ...(hasDatabase ? [['database', t('Database')] as Tab] : []),
    ['schedules', t('Schedules')],
    ['triggers', t('Triggers')],
    ['jobs', t('Jobs')],
    ['secrets', t('Secrets')],
    ['statistics', t('Statistics')],
    ['settings', t('Settings')],
  ];
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
  const contents: Record<string, () => ComponentChildren> = {
    '': () => <CodePart item={item} onDeployed={loaded.set} />,
    versions: () => <VersionsPart slug={slug} chosen={detail} />,
    logs: () => <LogsPart slug={slug} />,
    database: () => <DatabasePart slug={slug} base={`/functions/${slug}/database`} />,
    schedules: () => <SchedulesPart item={item} onChange={loaded.set} />,
    triggers: () => <TriggersPart item={item} onChange={loaded.set} />,
    jobs: () => <JobsPart slug={slug} />,
    secrets: () => <SecretsPart slug={slug} />,
    statistics: () => <StatisticsPart slug={slug} />,
    settings: () => <SettingsPart item={item} onChange={loaded.set} />,
  };
  const content = Object.hasOwn(contents, part) ? contents[part] : undefined;
  if (part === 'database' && !item.hasDatabase)
    return (
      <Empty title={t('No database')}>
        {t(
          'This function was created without a database, and one cannot be added later. Create a new function to use a database.',
        )}
      </Empty>
    );
  return content?.() ?? <Empty title={t('Not found')}>{t('There is no screen at this URL.')}</Empty>;
}
