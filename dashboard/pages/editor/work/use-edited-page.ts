import { useEffect, useState } from 'preact/hooks';
import { guardLeaving } from '../../../router.tsx';
import { t } from '../../../texts/index.ts';
import { say } from '../../../ui/index.ts';
import { type PageDetail, toPageScreen } from '../../api.ts';
import type { DraftDetail } from '../../drafts/api.ts';
import { EditedPage } from './edited-page.ts';

/** The page while it is edited. Renders the component again when it changes. */
export function useEditedPage(
  page: PageDetail,
  userId: number,
  onSaved: (page: PageDetail) => void,
  draft: DraftDetail | undefined,
): EditedPage {
  const props = { page, onSaved, draft };
  const [edited] = useState(() => new EditedPage(userId, props));
  edited.update(props);
  edited.watch();
  useEffect(() => guardLeaving(edited.wouldLose), []);
  useEffect(() => {
    addEventListener('pagehide', edited.settle);
    return () => {
      removeEventListener('pagehide', edited.settle);
      edited.stopWaiting();
      edited.settle();
      const home = toPageScreen(page.id);
      const isNear = location.pathname === home || location.pathname.startsWith(`${home}/`);
      if (edited.isDirty && !edited.wouldLose() && !isNear)
        say(t('Your changes to {name} are stored in this browser. They are not saved.', { name: page.name }));
    };
  }, []);
  return edited;
}
