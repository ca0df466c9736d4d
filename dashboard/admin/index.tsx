import { me } from '../session.ts';
import { Empty, NotFound, ScreenHead, Skeleton, Tabs } from '../ui/index.ts';
import { HealthScreen } from './health.tsx';
import { UsersScreen } from './users.tsx';

const TABS = [
  { name: '', label: 'Health', Screen: HealthScreen },
  { name: 'users', label: 'Users', Screen: UsersScreen },
] as const;

/** The administration screens. `parts` are the parts of the path after `/admin`. */
export function AdminScreens({ parts }: { parts: string[] }) {
  const [name = '', ...rest] = parts;
  const tab = TABS.find((each) => each.name === name);
  if (!tab || rest.length > 0) return <NotFound />;
  if (!me.value) return <Skeleton />;
  if (!me.value.isAdmin) {
    return (
      <Empty title="Administrators only">
        Your account is not an administrator. Someone who can log in to this server can change that with{' '}
        <code>quire user promote {me.value.username}</code>.
      </Empty>
    );
  }
  return (
    <>
      <ScreenHead title="Administration" />
      <Tabs base="/admin" tabs={TABS.map(({ name, label }) => [name, label])} current={tab.name} />
      <tab.Screen />
    </>
  );
}
