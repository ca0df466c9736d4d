import type { ComponentChildren } from 'preact';
import { ApiError } from '../api.ts';
import { Link, onApproach, partsBehind } from '../router.tsx';
import { me } from '../session.ts';
import { t } from '../texts/index.ts';
import { BarTabs, ScreenBar } from '../ui/bar/index.ts';
import {
  Empty,
  Failure,
  type Loaded,
  lazy,
  ScreenHead,
  Show,
  Skeleton,
  type SkeletonKind,
  TakenDownNotice,
  useLoad,
} from '../ui/index.ts';
import { getPage, type PageDetail, SHARE, toPageScreen } from './api.ts';
import { BRANCH, BRANCHES, CHANGES, MERGE, UPDATE } from './branches/places.ts';
import { readMode } from './editor/visual/mode.ts';
import { type FormList, listForms } from './forms/api.ts';
import { HISTORY, HistoryNav, VERSIONS } from './history/nav.tsx';
import { EditorSkeleton, PageBar, type PageBarProps } from './page-bar.tsx';
import type { OwnReport } from './reports/api.ts';
import { REPORTS, ReportNotice, useOwnReports } from './reports/notice.tsx';
import { listTabs } from './tabs.tsx';

/** What the screens look like while they load. The others are text. */
const SHAPES: Record<string, SkeletonKind> = {
  versions: 'rows',
  history: 'rows',
  data: 'rows',
  forms: 'rows',
  analytics: 'report',
  team: 'rows',
  [REPORTS]: 'rows',
  [BRANCHES]: 'rows',
  [BRANCH]: 'rows',
  [CHANGES]: 'rows',
  [SHARE]: 'stage',
};
const shape = (part: string) => () => <Skeleton kind={SHAPES[part] ?? 'text'} />;

// Each tab is a file of its own.
const EditorScreen = lazy(
  () => import('./editor/index.tsx').then((file) => file.EditorScreen),
  ({ bar }) => <EditorSkeleton bar={bar} />,
);
const VersionsScreen = lazy(
  () => import('./versions/index.tsx').then((file) => file.VersionsScreen),
  shape('versions'),
);
const HistoryScreen = lazy(
  () => import('./history/index.tsx').then((file) => file.HistoryScreen),
  shape('history'),
);
const SettingsScreen = lazy(() => import('./settings/index.tsx').then((file) => file.SettingsScreen));
const DataScreen = lazy(() => import('./data/index.tsx').then((file) => file.DataScreen), shape('data'));
const FormsScreen = lazy(() => import('./forms/index.tsx').then((file) => file.FormsScreen), shape('forms'));
const AnalyticsScreen = lazy(
  () => import('./analytics/index.tsx').then((file) => file.AnalyticsScreen),
  shape('analytics'),
);
const AttackScreen = lazy(() => import('./attack/index.tsx').then((file) => file.AttackScreen));
const TeamScreen = lazy(() => import('./teams/index.tsx').then((file) => file.TeamScreen), shape('team'));
const AgentSpecScreen = lazy(() => import('./agents/index.tsx').then((file) => file.AgentSpecScreen));
const ShareScreen = lazy(() => import('./share/index.tsx').then((file) => file.ShareScreen), shape(SHARE));

const BranchesScreen = lazy(
  () => import('./branches/index.tsx').then((file) => file.BranchesScreen),
  shape(BRANCHES),
);
const BranchScreen = lazy(
  () => import('./branches/own/index.tsx').then((file) => file.BranchScreen),
  shape(BRANCH),
);

const ChangesScreen = lazy(
  () => import('./branches/changes/index.tsx').then((file) => file.ChangesScreen),
  shape(CHANGES),
);
const MergeScreen = lazy(() => import('./branches/merge/index.tsx').then((file) => file.MergeScreen));

const OwnReportsScreen = lazy(
  () => import('./reports/index.tsx').then((file) => file.OwnReportsScreen),
  shape(REPORTS),
);

const SharedScreens = lazy(() => import('./shared/index.tsx').then((file) => file.SharedScreens));

const TABS: Record<string, { prefetch(): void }> = {
  '': EditorScreen,
  versions: VersionsScreen,
  history: HistoryScreen,
  settings: SettingsScreen,
  data: DataScreen,
  forms: FormsScreen,
  analytics: AnalyticsScreen,
  attack: AttackScreen,
  team: TeamScreen,
  'agent-spec': AgentSpecScreen,
  [SHARE]: ShareScreen,
  [BRANCHES]: BranchesScreen,
  [BRANCH]: BranchScreen,
  [CHANGES]: ChangesScreen,
  [MERGE]: MergeScreen,
  [UPDATE]: MergeScreen,
  [REPORTS]: OwnReportsScreen,
};
onApproach((href) => {
  const [id, tab = ''] = partsBehind('/pages', href) ?? [];
  if (id) TABS[tab]?.prefetch();
});

/** A page's screens, below a bar with its name, address, state and tabs. */
export function PageFrame({ id, parts }: { id: number; parts: string[] }) {
  const loaded = useLoad((signal) => getPage(id, signal), [id]);
  const forms = useLoad((signal) => listForms(id, signal), [id]);
  const reports = useOwnReports(loaded.value);
  if (loaded.error && !loaded.value) {
    // Members and viewers of its team cannot edit it.
    if (isForbidden(loaded.error)) return <SharedScreens id={id} parts={parts} error={loaded.error} />;
    const isMissing = loaded.error instanceof ApiError && loaded.error.status === 404;
    return (
      <>
        {isMissing ? (
          <ScreenHead title={t('Page')} back={{ href: '/pages', label: t('Pages') }} />
        ) : (
          <BarWithoutPage id={id} part={parts[0] ?? ''} />
        )}
        <Failure
          error={loaded.error}
          retry={loaded.reload}
          wayOut={<Link href="/pages">{t('Go to your pages')}</Link>}
        />
      </>
    );
  }
  return (
    <Show loaded={loaded} skeleton={<FrameSkeleton id={id} part={parts[0] ?? ''} />}>
      {(page) => (
        <PageScreen
          bar={{
            page,
            tabs: listTabs(page, forms.value?.unread ?? 0, (reports.value?.length ?? 0) > 0),
            // The versions are a view of the history.
            current: parts[0] === VERSIONS ? HISTORY : (parts[0] ?? ''),
            onRenamed: (name) => loaded.set({ ...page, name }),
          }}
          {...{ page, loaded, forms, reports, parts }}
        />
      )}
    </Show>
  );
}

/** The editor has the state of its work in its bar. It and the live page fill the window. */
function PageScreen({ bar, ...rest }: PartProps & { bar: PageBarProps }) {
  const { page, loaded, parts } = rest;
  if (parts.length === 0) return <EditorScreen bar={bar} page={page} onSaved={loaded.set} />;
  if (parts[0] === SHARE)
    return (
      <div class="page-editor">
        <PageBar {...bar} />
        <ShareScreen page={page} onChange={loaded.set} />
      </div>
    );
  return (
    <>
      <PageBar {...bar} />
      {page.taken_down && <TakenDownNotice what="page" {...page.taken_down} />}
      {parts[0] !== REPORTS && <ReportNotice page={page} reports={rest.reports.value} />}
      <PagePart {...rest} />
    </>
  );
}

const isForbidden = (error: Error) => error instanceof ApiError && error.status === 403;

interface PartProps {
  page: PageDetail;
  loaded: Loaded<PageDetail>;
  forms: Loaded<FormList>;
  reports: Loaded<OwnReport[] | undefined>;
  parts: string[];
}

function PagePart({ page, loaded, forms, reports, parts }: PartProps): ComponentChildren {
  switch (parts[0]) {
    case HISTORY:
      return (
        <>
          <HistoryNav pageId={page.id} current={HISTORY} />
          <HistoryScreen page={page} onRestored={loaded.reload} />
        </>
      );
    case VERSIONS:
      return (
        <>
          <HistoryNav pageId={page.id} current={VERSIONS} />
          <VersionsScreen page={page} chosen={parts[1]} onRestored={loaded.reload} />
        </>
      );
    case 'settings':
      return <SettingsScreen page={page} onChange={loaded.set} />;
    case 'data':
      return <DataScreen page={page} parts={parts.slice(1)} />;
    case 'forms':
      return <FormsScreen page={page} forms={forms} chosen={parts[1]} />;
    case REPORTS:
      return <OwnReportsScreen page={page} reports={reports} />;
    case 'analytics':
      return <AnalyticsScreen page={page} />;
    case 'attack':
      return <AttackScreen page={page} />;
    case 'team':
      return <TeamScreen page={page} />;
    case BRANCHES:
      return <BranchesScreen page={page} />;
    case BRANCH:
      return <BranchScreen page={page} onRenamed={loaded.reload} />;
    case CHANGES:
      return <ChangesScreen page={page} />;
    case MERGE:
    case UPDATE:
      return <MergeScreen key={parts[0]} page={page} into={parts[0] === MERGE ? 'main' : 'branch'} />;
    case 'agent-spec':
      return <AgentSpecScreen page={page} onChange={loaded.set} />;
    default:
      return (
        <Empty
          title={t('Not found')}
          action={<Link href={`/pages/${page.id}`}>{t('Go to the editor')}</Link>}
        >
          {t('There is no screen at this URL.')}
        </Empty>
      );
  }
}

interface WithoutPageProps {
  id: number;
  part: string;
  isLoading?: boolean;
}

/** The bar with the tabs that every page has, so that they can be used before the page is there, or if it cannot load. */
function BarWithoutPage({ id, part, isLoading = false }: WithoutPageProps) {
  const tabs = listTabs({ storageMode: 'page', role: 'admin' }, 0);
  const current = part === VERSIONS ? HISTORY : part;
  return (
    <ScreenBar
      title={t('Page')}
      back={{ href: '/pages', label: t('pages') }}
      name={isLoading ? <span class="bar-loading" /> : undefined}
      tabs={<BarTabs base={toPageScreen(id)} tabs={tabs} current={current} />}
      actions={isLoading && part === '' && <span class="bar-loading bar-loading-button" />}
    />
  );
}

function FrameSkeleton({ id, part }: { id: number; part: string }) {
  const bar = <BarWithoutPage id={id} part={part} isLoading />;
  const kind = part === '' ? readMode(me.value?.id, id) : (SHAPES[part] ?? 'text');
  return part === '' || kind === 'stage' ? (
    <div class="page-editor">
      {bar}
      <Skeleton kind={kind} />
    </div>
  ) : (
    <>
      {bar}
      <Skeleton kind={kind} {...(kind === 'text' && { lines: 8 })} />
    </>
  );
}
