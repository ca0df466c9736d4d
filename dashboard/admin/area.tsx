import type { ComponentType } from 'preact';
import { t } from '../texts/index.ts';
import { NotFound, ScreenHead, Tabs } from '../ui/index.ts';
import { AuditScreen } from './audit/index.tsx';
import { FunctionsScreen } from './content/functions.tsx';
import { PagesScreen } from './content/pages.tsx';
import { InstanceScreen } from './instance/index.tsx';
import { OverviewScreen } from './overview/index.tsx';
import { ProvidersScreen } from './providers/index.tsx';
import { RegistrationScreen } from './registration/index.tsx';
import { ReportsScreen } from './reports/index.tsx';
import { BackupsScreen } from './service/backups.tsx';
import { HealthScreen } from './service/health.tsx';
import { StorageScreen } from './service/storage.tsx';
import { UsersScreen } from './users/index.tsx';
import { UserScreen } from './users/user.tsx';

interface Tab {
  name: string;
  label: string;
  Screen: ComponentType<{ item?: string | undefined }>;
}

const TABS: readonly Tab[] = [
  { name: '', label: t('Overview'), Screen: OverviewScreen },
  { name: 'health', label: t('Health'), Screen: HealthScreen },
  { name: 'users', label: t('Users'), Screen: UsersScreen },
  { name: 'pages', label: t('Pages'), Screen: PagesScreen },
  { name: 'functions', label: t('Functions'), Screen: FunctionsScreen },
  { name: 'reports', label: t('Reports'), Screen: ReportsScreen },
  { name: 'instance', label: t('This server'), Screen: InstanceScreen },
  { name: 'registration', label: t('Registration'), Screen: RegistrationScreen },
  { name: 'audit', label: t('Audit log'), Screen: AuditScreen },
  { name: 'storage', label: t('Storage'), Screen: StorageScreen },
  { name: 'providers', label: t('Providers'), Screen: ProvidersScreen },
  { name: 'backups', label: t('Backups'), Screen: BackupsScreen },
];

/** Screens that can be opened for one person or one provider: `/admin/pages/ada`. */
const WITH_ITEM = ['pages', 'functions', 'audit', 'providers'];

/** All screens of administrators. A single user has a screen of their own. */
export function AdminArea({ parts }: { parts: string[] }) {
  const [name = '', item, ...rest] = parts;
  const tab = TABS.find((each) => each.name === name);
  if (!tab || rest.length > 0) return <NotFound />;
  if (name === 'users' && item !== undefined && /^[1-9]\d{0,14}$/.test(item))
    return <UserScreen key={item} id={Number(item)} />;
  if (item !== undefined && !WITH_ITEM.includes(name)) return <NotFound />;
  return (
    <>
      <ScreenHead title={t('Administration')} />
      <Tabs
        base="/admin"
        label={t('Administration')}
        tabs={TABS.map(({ name, label }) => [name, label])}
        current={tab.name}
      />
      <tab.Screen key={`${name} ${item}`} item={item} />
    </>
  );
}
