import type { ComponentChildren } from 'preact';
import { FirstStepsList, isToDo, readFirstSteps } from '../../first-steps/index.tsx';
import { Link } from '../../router.tsx';
import { t } from '../../texts/index.ts';
import {
  Failure,
  formatAgo,
  formatBytes,
  formatNumber,
  Icon,
  type IconName,
  Section,
  Skeleton,
  useLoad,
} from '../../ui/index.ts';
import {
  listBackups,
  listFunctions,
  listPages,
  listProviders,
  listReports,
  listUsers,
  readHealth,
  readStorage,
} from '../api.ts';
import { newestBackup } from '../service/backup-problems.ts';
import { findProblems, type Problem, type State } from './problems.ts';

async function readState(signal: AbortSignal): Promise<State> {
  const everyone = { q: '', state: '', administrators: '', sort: '', offset: 0 } as const;
  const content = { q: '', owner: '', state: '', offset: 0 } as const;
  const [
    health,
    storage,
    providers,
    backups,
    users,
    pages,
    functions,
    takenDown,
    suspended,
    lockedOut,
    builtIn,
    firstSteps,
    reports,
  ] = await Promise.all([
    readHealth(signal),
    readStorage(signal),
    listProviders(signal),
    listBackups(signal),
    listUsers(everyone, signal),
    listPages(content, signal),
    listFunctions(content, signal),
    listPages({ ...content, state: 'taken-down' }, signal),
    listUsers({ ...everyone, state: 'suspended' }, signal),
    listUsers({ ...everyone, state: 'locked-out' }, signal),
    listUsers({ ...everyone, state: 'built-in' }, signal),
    readFirstSteps(signal),
    listReports({ state: 'open', offset: 0 }, signal),
  ]);
  return {
    ...{ health, storage, providers, backups },
    ...{ users: users.total - builtIn.total, pages: pages.total, functions: functions.total },
    ...{ takenDown: takenDown.total, suspended: suspended.total, lockedOut: lockedOut.users },
    openReports: reports.total,
    isBeingSetUp: isToDo(firstSteps),
  };
}

/** The state of the service at a glance, and what needs the administrator. */
export function OverviewScreen() {
  const loaded = useLoad(readState, []);
  if (loaded.error && !loaded.value) return <Failure error={loaded.error} retry={loaded.reload} />;
  if (!loaded.value) return <Skeleton kind="cards" />;
  const state = loaded.value;
  return (
    <>
      <FirstStepsList />
      <Tiles state={state} />
      <Problems problems={findProblems(state, Date.now())} />
    </>
  );
}

function Tiles({ state }: { state: State }) {
  const { storage, providers, backups, health } = state;
  const { freeBytes, totalBytes } = storage.disk;
  const mail = providers.find(({ name }) => name === 'mail');
  const last = newestBackup(backups);
  return (
    <ul class="admin-tiles" aria-label={t('The service at a glance')}>
      <Tile
        href="/admin/users"
        icon="people"
        label={t('Users')}
        value={formatNumber(state.users)}
        note={
          state.suspended > 0
            ? t('{count|One suspended|{count} suspended}', { count: state.suspended })
            : t('None suspended')
        }
      />
      <Tile
        href="/admin/pages"
        icon="page"
        label={t('Pages')}
        value={formatNumber(state.pages)}
        note={
          state.takenDown > 0
            ? t('{count|One taken down|{count} taken down}', { count: state.takenDown })
            : t('None taken down')
        }
      />
      <Tile
        href="/admin/functions"
        icon="function"
        label={t('Functions')}
        value={formatNumber(state.functions)}
        note={t('{count} running', { count: health.cells })}
      />
      <Tile
        href="/admin/storage"
        icon="database"
        label={t('Free disk space')}
        value={formatBytes(freeBytes)}
        note={t('of {size}', { size: formatBytes(totalBytes) })}
      />
      <Tile
        href="/admin/providers"
        icon="mail"
        label={t('Mail')}
        value={mail?.state === 'configured' ? t('Set up') : t('Not set up')}
        note={mail?.host}
      />
      <Tile
        href="/admin/backups"
        icon="history"
        label={t('Last backup')}
        value={last ? formatAgo(last.createdAt) : t('Never')}
        note={sayProof(state) ?? (last && formatBytes(last.bytes))}
      />
    </ul>
  );
}

function sayProof({ backups: { lastProof } }: State): string | undefined {
  if (!lastProof) return undefined;
  const moment = formatAgo(lastProof.provenAt);
  return lastProof.problem === null ? t('Proven {moment}', { moment }) : t('Could not be restored');
}

function Tile(props: {
  href: string;
  icon: IconName;
  label: string;
  value: string;
  note?: ComponentChildren;
}) {
  const { href, icon, label, value, note } = props;
  return (
    <li>
      <Link href={href}>
        <span class="admin-tile-label">
          <Icon name={icon} size={18} />
          {label}
        </span>
        <strong>{value}</strong>
        <span class="hint">{note}</span>
      </Link>
    </li>
  );
}

function Problems({ problems }: { problems: Problem[] }) {
  return (
    <Section
      title={t('Needs attention')}
      hint={
        problems.length > 0 &&
        t('{count|One thing to look at|{count} things to look at}', { count: problems.length })
      }
    >
      {problems.length === 0 ? (
        <p class="admin-fine">
          <Icon name="check" />
          {t('Everything is in order.')}
        </p>
      ) : (
        <ul class="admin-problems">
          {problems.map(({ kind, text, action, href }) => (
            <li key={text} class={kind}>
              <Icon name={kind === 'bad' ? 'warning' : 'info'} />
              <span>{text}</span>
              {href.startsWith('/docs') ? (
                <a class="button quiet" href={href}>
                  {action}
                </a>
              ) : (
                <Link class="button quiet" href={href}>
                  {action}
                </Link>
              )}
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}
