import { NotFound, ScreenHead, Tabs } from '../ui/index.ts';
import { AppsScreen } from './apps.tsx';
import { CreditsScreen } from './credits.tsx';
import { PasswordScreen } from './password.tsx';
import { SessionsScreen } from './sessions.tsx';
import { TokensScreen } from './tokens.tsx';

const TABS = [
  { name: '', label: 'Tokens', Screen: TokensScreen },
  { name: 'apps', label: 'Connected apps', Screen: AppsScreen },
  { name: 'sessions', label: 'Sessions', Screen: SessionsScreen },
  { name: 'credits', label: 'Credits', Screen: CreditsScreen },
  { name: 'password', label: 'Password', Screen: PasswordScreen },
] as const;

/** The account screens. `parts` are the parts of the path after `/account`. */
export function AccountScreens({ parts }: { parts: string[] }) {
  const [name = '', ...rest] = parts;
  const tab = TABS.find((each) => each.name === name);
  if (!tab || rest.length > 0) return <NotFound />;
  return (
    <>
      <ScreenHead
        title="Account"
        actions={
          <>
            <a class="button quiet" href="/docs">
              Docs
            </a>
            <a class="button quiet" href="/logout">
              Log out
            </a>
          </>
        }
      />
      <Tabs base="/account" tabs={TABS.map(({ name, label }) => [name, label])} current={tab.name} />
      <tab.Screen />
    </>
  );
}
