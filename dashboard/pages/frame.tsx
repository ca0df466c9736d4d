import type { ComponentChildren } from 'preact';
import { Link } from '../router.tsx';
import { Empty, Failure, type Loaded, ScreenHead, Show, Skeleton, Tabs, useLoad } from '../ui/index.ts';
import { AgentSpecScreen } from './agents/index.tsx';
import { getPage, type PageDetail, urlOf } from './api.ts';
import { DataScreen } from './data/index.tsx';
import { EditorScreen } from './editor/index.tsx';
import { type FormList, listForms } from './forms/api.ts';
import { FormsScreen } from './forms/index.tsx';
import { Unread } from './forms/unread.tsx';
import { SettingsScreen } from './settings/index.tsx';
import { StatusBadges } from './status.tsx';
import { TeamScreen } from './teams/index.tsx';
import { VersionsScreen } from './versions/index.tsx';

/** The head of a page's screens: its name, URL, status and tabs. */
export function PageFrame({ id, parts }: { id: number; parts: string[] }) {
  const loaded = useLoad((signal) => getPage(id, signal), [id]);
  const forms = useLoad((signal) => listForms(id, signal), [id]);
  if (loaded.error && !loaded.value)
    return (
      <>
        <ScreenHead title="Page" back={{ href: '/pages', label: 'Pages' }} />
        <Failure error={loaded.error} retry={loaded.reload} />
      </>
    );
  return (
    <Show loaded={loaded} skeleton={<FrameSkeleton />}>
      {(page) => (
        <>
          <ScreenHead
            title={page.name}
            back={{ href: '/pages', label: 'Pages' }}
            note={
              <>
                <a class="page-address" href={urlOf(page)} target="_blank" rel="noopener">
                  /p/{page.slug}
                </a>
                <StatusBadges page={page} mode={page.storageMode} />
              </>
            }
          />
          <Tabs
            base={`/pages/${id}`}
            tabs={tabsOf(page, forms.value?.unread ?? 0)}
            current={parts[0] ?? ''}
          />
          <PagePart page={page} loaded={loaded} forms={forms} parts={parts} />
        </>
      )}
    </Show>
  );
}

function tabsOf({ storageMode }: PageDetail, unread: number): Array<[string, ComponentChildren]> {
  return [
    ['', 'Editor'],
    ['versions', 'Versions'],
    ['data', 'Data'],
    [
      'forms',
      <>
        Forms <Unread count={unread} />
      </>,
    ],
    ...(storageMode === 'team_app' ? [['team', 'Team'] as [string, ComponentChildren]] : []),
    ['agent-spec', 'Agent spec'],
    ['settings', 'Settings'],
  ];
}

interface PartProps {
  page: PageDetail;
  loaded: Loaded<PageDetail>;
  forms: Loaded<FormList>;
  parts: string[];
}

function PagePart({ page, loaded, forms, parts }: PartProps): ComponentChildren {
  switch (parts[0]) {
    case undefined:
      return <EditorScreen page={page} onSaved={loaded.set} />;
    case 'versions':
      return <VersionsScreen page={page} chosen={parts[1]} onRestored={loaded.reload} />;
    case 'settings':
      return <SettingsScreen page={page} onChange={loaded.set} />;
    case 'data':
      return <DataScreen page={page} parts={parts.slice(1)} />;
    case 'forms':
      return <FormsScreen page={page} forms={forms} chosen={parts[1]} />;
    case 'team':
      return <TeamScreen page={page} />;
    case 'agent-spec':
      return <AgentSpecScreen page={page} onChange={loaded.set} />;
    default:
      return (
        <Empty title="Not found" action={<Link href={`/pages/${page.id}`}>Go to the editor</Link>}>
          There is no screen at this URL.
        </Empty>
      );
  }
}

function FrameSkeleton() {
  return (
    <>
      <ScreenHead title="Page" back={{ href: '/pages', label: 'Pages' }} />
      <Skeleton lines={8} />
    </>
  );
}
