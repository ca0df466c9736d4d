import { useRef } from 'preact/hooks';
import { type PageChange, type PageDetail, patchPage } from '../api.ts';
import type { FeatureFlag } from './features.tsx';
import type { VisibilityFlag } from './visibility.tsx';

export interface SettingsProps {
  page: PageDetail;
  onChange: (page: PageDetail) => void;
}

/** A setting that is on or off. */
type PageFlag = VisibilityFlag | FeatureFlag | 'spa' | 'protected' | 'attack_first' | 'repair';
export type Flags = Partial<Record<PageFlag, boolean>>;

/** Changes the page and shows what became of it. Until then it shows the given flags. */
export type Apply = (patch: PageChange, flags?: Flags) => Promise<PageDetail>;

/** Changes are sent one after the other, so that each response has the state after all changes before it. */
export function useApply({ page, onChange }: SettingsProps): Apply {
  const latest = useRef(page);
  latest.current = page;
  const last = useRef<Promise<unknown>>(Promise.resolve());
  const expected = useRef<Flags[]>([]);
  const show = (fields: Partial<PageDetail>) => {
    latest.current = Object.assign({}, latest.current, fields, ...expected.current);
    onChange(latest.current);
  };
  return async (patch, flags = {}) => {
    const before = Object.fromEntries(Object.keys(flags).map((flag) => [flag, page[flag as PageFlag]]));
    expected.current.push(flags);
    show({});
    const sent = last.current.then(() => patchPage(page.id, patch));
    const outcome = sent.then(({ saved }) => saved).catch(() => before);
    last.current = outcome;
    const fields = await outcome;
    expected.current = expected.current.filter((each) => each !== flags);
    show(fields);
    await sent;
    return latest.current;
  };
}
