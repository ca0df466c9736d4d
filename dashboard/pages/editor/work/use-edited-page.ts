import { useEffect, useState } from 'preact/hooks';
import { guardLeaving } from '../../../router.tsx';
import type { PageDetail } from '../../api.ts';
import { EditedPage } from './edited-page.ts';

/** The page while it is edited. Renders the component again when it changes. */
export function useEditedPage(
  page: PageDetail,
  userId: number,
  onSaved: (page: PageDetail) => void,
): EditedPage {
  const props = { page, onSaved };
  const [edited] = useState(() => new EditedPage(userId, props));
  edited.update(props);
  edited.watch();
  useEffect(() => guardLeaving(edited.wouldLose), []);
  useEffect(() => {
    addEventListener('pagehide', edited.settle);
    return () => {
      removeEventListener('pagehide', edited.settle);
      edited.settle();
    };
  }, []);
  return edited;
}
