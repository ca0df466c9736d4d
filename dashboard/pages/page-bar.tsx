import type { ComponentChildren } from 'preact';
import { MAX_PAGE_NAME } from '../../contract/rules/limits.ts';
import { t } from '../texts/index.ts';
import { BarAddress, BarTabs, EditableName, ScreenBar, type Tab } from '../ui/bar/index.ts';
import { Skeleton, say } from '../ui/index.ts';
import { type PageDetail, patchPage, toPageScreen, toPageUrl } from './api.ts';
import { StatusBadges } from './status.tsx';

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
    <ScreenBar
      title={page.name}
      back={{ href: '/pages', label: t('pages') }}
      name={<EditableName name={page.name} maxLength={MAX_PAGE_NAME} onRename={rename} />}
      facts={
        <>
          <BarAddress url={toPageUrl(page)} shown={`/p/${page.slug}`} title={t('Open page')} />
          {state}
          <StatusBadges page={page} mode={page.storageMode} />
        </>
      }
      tabs={<BarTabs base={toPageScreen(page.id)} tabs={tabs} current={current} />}
      actions={actions}
    />
  );
}

/** The editor before it is there. */
export function EditorSkeleton({ bar }: { bar: PageBarProps }) {
  return (
    <div class="page-editor">
      <PageBar {...bar} />
      <Skeleton lines={8} />
    </div>
  );
}
