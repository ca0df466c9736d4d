import { t } from '../texts/index.ts';
import { NotFound, ScreenHead, Tabs } from '../ui/index.ts';
import { ByCommandLine } from './by-cli.tsx';
import { ByToken } from './by-token.tsx';
import { ByUrl } from './by-url.tsx';
import { ConnectedList, LiveMark } from './connected.tsx';
import { useConnections } from './use-connections.ts';

const WAYS = ['', 'token', 'command-line'];

/** Connects an agent. `parts` are the parts of the path after `/connect`. */
export function ConnectScreens({ parts }: { parts: string[] }) {
  const [way = '', ...rest] = parts;
  if (!WAYS.includes(way) || rest.length > 0) return <NotFound />;
  return <Connect way={way} />;
}

function Connect({ way }: { way: string }) {
  const connections = useConnections();
  return (
    <div class="connect">
      <ScreenHead
        title={t('Connect an agent')}
        note={t('Claude, ChatGPT, Cursor and other agents can publish pages and functions for you.')}
      />
      <LiveMark connections={connections} />
      <Tabs
        base="/connect"
        label={t('Ways to connect')}
        current={way}
        tabs={[
          ['', t('With a URL')],
          ['token', t('With a token')],
          ['command-line', t('Command line')],
        ]}
      />
      {way === '' && <ByUrl />}
      {way === 'token' && <ByToken onCreated={connections.reload} />}
      {way === 'command-line' && <ByCommandLine />}
      <ConnectedList connections={connections} />
    </div>
  );
}
