import { me } from '../session.ts';
import { t } from '../texts/index.ts';
import { lazy, ScreenHead, Skeleton } from '../ui/index.ts';
import { FunctionScreen } from './function.tsx';
import { ListScreen } from './list.tsx';
import { NEW } from './names.ts';

const CreateScreen = lazy(
  () => import('./create.tsx').then((file) => file.CreateScreen),
  () => (
    <>
      <ScreenHead title={t('New function')} back={{ href: '/functions', label: t('Functions') }} />
      <Skeleton lines={8} />
    </>
  ),
);

/** The function screens. `parts` are the parts of the path after `/functions`. */
export function FunctionsScreens({ parts: [slug, part = '', detail = ''] }: { parts: string[] }) {
  if (slug === undefined) return <ListScreen />;
  if (slug === NEW) return <CreateScreen template={part} />;
  // Drafts in this browser are stored per user, so the user must be known first.
  if (!me.value) return <Skeleton lines={8} />;
  return <FunctionScreen key={slug} slug={slug} part={part} detail={detail} />;
}
