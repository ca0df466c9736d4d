import type { ComponentChildren } from 'preact';
import { MAX_PAGE_NAME } from '../../contract/rules/limits.ts';
import { Link } from '../router.tsx';
import { me } from '../session.ts';
import { t } from '../texts/index.ts';
import { BarAddress, BarTabs, EditableName, ScreenBar, type Tab } from '../ui/bar/index.ts';
import { Icon, lazy, Skeleton, say } from '../ui/index.ts';
import { type PageDetail, patchPage, SHARE, toPageScreen, toPageUrl } from './api.ts';
import { readMode } from './editor/visual/mode.ts';
import { StatusBadges } from './status.tsx';

const BranchSwitch = lazy(
  () => import('./branches/bar.tsx').then((file) => file.BranchSwitch),
  () => null,
);
const PageBranchBand = lazy(
  () => import('./branches/bar.tsx').then((file) => file.PageBranchBand),
  () => <div class="branch-band" />,
);

/** What all screens of a page show in their bar. */
export interface PageBarProps {
  page: PageDetail;
  tabs: Tab[];
  current: string;
  onRenamed: (name: string) => void;
}

/** The top of a page's screens. The editor adds the state of the work, and what can be done with it. */
export function PageBar({
  page,
  tabs,
  current,
  onRenamed,
  state,
  actions,
}: PageBarProps & { state?: ComponentChildren; actions?: ComponentChildren }) {
  const rename = async (name: string) => {
    const { saved } = await patchPage(page.id, { name });
    onRenamed(saved.name);
    say(t('Renamed to {name}.', { name }));
  };
  return (
    <>
      <ScreenBar
        title={page.name}
        back={{ href: '/pages', label: t('pages') }}
        name={
          <>
            <EditableName name={page.name} maxLength={MAX_PAGE_NAME} onRename={rename} />
            {!page.taken_down && <BranchSwitch page={page} current={current} />}
          </>
        }
        facts={
          <>
            <BarAddress url={toPageUrl(page)} shown={`/p/${page.slug}`} title={t('Open page')} />
            {state}
            {page.protected && <ProtectionLink page={page} />}
            {!page.branch && <StatusBadges page={page} mode={page.storageMode} />}
          </>
        }
        tabs={<BarTabs base={toPageScreen(page.id)} tabs={tabs} current={current} />}
        actions={
          <>
            <ShareLink page={page} isCurrent={current === SHARE} />
            {actions}
          </>
        }
      />
      {page.branch && <PageBranchBand page={page} current={current} />}
    </>
  );
}

/** Says that agents change only branches of the page, and leads to the switch for it. */
function ProtectionLink({ page }: { page: PageDetail }) {
  return (
    <Link
      href={`${toPageScreen(page.id, 'settings')}#protection`}
      class="bar-button bar-protected"
      label={t('Protected from agents')}
    >
      <Icon name="shield" size={17} />
    </Link>
  );
}

/** Leads to the address, the QR code and the picture of a published page. */
function ShareLink({ page, isCurrent }: { page: PageDetail; isCurrent: boolean }) {
  if (!page.is_published || page.taken_down) return null;
  return (
    <Link
      href={toPageScreen(page.id, SHARE)}
      class="bar-button bar-share"
      current={isCurrent}
      label={t('Share')}
    >
      <Icon name="share" size={18} />
      <span>{t('Share')}</span>
    </Link>
  );
}

/** The editor before it is there: the page, or the page and its code, as the person has used it last. */
export function EditorSkeleton({ bar }: { bar: PageBarProps }) {
  return (
    <div class="page-editor">
      <PageBar {...bar} />
      <Skeleton kind={readMode(me.value?.id, bar.page.id)} />
    </div>
  );
}
