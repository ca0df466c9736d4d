import { ScreenHead, Show, Tabs, useLoad } from '../ui/index.ts';
import { AgentSpecScreen } from './agent-spec.tsx';
import { getPage } from './api.ts';
import { DataScreen } from './data/index.tsx';
import { TeamScreen } from './team/index.tsx';

/** The screens of this area; `parts` is the address behind `/pages`. */
export function PagesScreens({ parts }: { parts: string[] }) {
  const [id, ...rest] = parts;
  return id ? <PageFrame key={id} id={Number(id)} parts={rest} /> : <ScreenHead title="Pages" />;
}

const TABS: Array<[string, string]> = [
  ['', 'Editor'],
  ['versions', 'Versions'],
  ['data', 'Data'],
  ['team', 'Team'],
  ['agent-spec', 'Agent spec'],
  ['settings', 'Settings'],
];

function PageFrame({ id, parts: [part = '', ...rest] }: { id: number; parts: string[] }) {
  const loaded = useLoad((signal) => getPage(id, signal), [id]);
  return (
    <Show loaded={loaded}>
      {(page) => (
        <>
          <ScreenHead title={page.name} back={{ href: '/pages', label: 'Pages' }} />
          <Tabs base={`/pages/${id}`} tabs={TABS} current={part} />
          {part === 'data' && <DataScreen page={page} parts={rest} />}
          {part === 'team' && <TeamScreen page={page} />}
          {part === 'agent-spec' && <AgentSpecScreen page={page} />}
        </>
      )}
    </Show>
  );
}
