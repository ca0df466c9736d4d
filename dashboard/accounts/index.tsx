import { t } from '../texts/index.ts';
import { NotFound, ScreenHead, Tabs } from '../ui/index.ts';
import { ActivityScreen } from './activity.tsx';
import { AppsScreen } from './apps.tsx';
import { CreditsScreen } from './credits.tsx';
import { ProfileScreen } from './profile.tsx';
import { SecurityScreen } from './security/index.tsx';
import { SessionsScreen } from './sessions.tsx';
import { StorageScreen } from './storage.tsx';
import { TokensScreen } from './tokens.tsx';
import { YourDataScreen } from './your-data.tsx';

const TABS = [
  { name: '', label: t('Tokens'), Screen: TokensScreen },
  { name: 'apps', label: t('Connected apps'), Screen: AppsScreen },
  { name: 'profile', label: t('Profile'), Screen: ProfileScreen },
  { name: 'security', label: t('Security'), Screen: SecurityScreen },
  { name: 'sessions', label: t('Sessions'), Screen: SessionsScreen },
  { name: 'credits', label: t('Credits'), Screen: CreditsScreen },
  { name: 'storage', label: t('Storage'), Screen: StorageScreen },
  { name: 'your-data', label: t('Your data'), Screen: YourDataScreen },
  { name: 'activity', label: t('Activity'), Screen: ActivityScreen },
] as const;

/** `/account/new-token` is the list of tokens with the dialog for a new one. */
const NEW_TOKEN = 'new-token';

/** The account screens. `parts` are the parts of the path after `/account`. */
export function AccountScreens({ parts }: { parts: string[] }) {
  const [given = '', ...rest] = parts;
  const name = given === NEW_TOKEN ? '' : given;
  const tab = TABS.find((each) => each.name === name);
  if (!tab || rest.length > 0) return <NotFound />;
  return (
    <>
      <ScreenHead title={t('Account')} />
      <Tabs base="/account" tabs={TABS.map(({ name, label }) => [name, label])} current={tab.name} />
      <div class="stacks">{given === NEW_TOKEN ? <TokensScreen isMaking /> : <tab.Screen />}</div>
    </>
  );
}
