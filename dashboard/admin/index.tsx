import { me } from '../session.ts';
import { rich, t } from '../texts/index.ts';
import { Empty, Skeleton } from '../ui/index.ts';
import { AdminArea } from './area.tsx';

/** The administration screens. `parts` are the parts of the path after `/admin`. */
export function AdminScreens({ parts }: { parts: string[] }) {
  if (!me.value) return <Skeleton lines={8} />;
  if (me.value.isAdmin) return <AdminArea parts={parts} />;
  return (
    <Empty title={t('Administrators only')}>
      {rich(
        'Your account is not an administrator. Someone who can log in to this server can change that with <code>quire user promote {username}</code>.',
        { code: (text) => <code>{text}</code> },
        { username: me.value.username },
      )}
    </Empty>
  );
}
