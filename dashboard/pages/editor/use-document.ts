import { useEffect, useReducer, useState } from 'preact/hooks';
import { guardLeaving } from '../../router.tsx';
import type { PageDetail } from '../api.ts';
import { PageDocument } from './page-document.ts';

/** The document of a page, which renders the component again when it changes. */
export function useDocument(
  page: PageDetail,
  userId: number,
  onSaved: (page: PageDetail) => void,
): PageDocument {
  const [, render] = useReducer((count: number) => count + 1, 0);
  const props = { page, onSaved, onChange: () => render(undefined) };
  const [edited] = useState(() => new PageDocument(userId, props));
  edited.update(props);
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
