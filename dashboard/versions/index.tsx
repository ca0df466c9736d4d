import type { ComponentChildren } from 'preact';
import { t } from '../texts/index.ts';
import { Failure } from '../ui/index.ts';
import { type Version, VersionNav } from './nav.tsx';

/** What the screens of versions share: those of pages, and those of functions. */

export { compareEntries, type FileChange, textEntry } from './compare.ts';
export { Compared } from './compared.tsx';
export { type Comparison, VersionDetail } from './detail.tsx';
export { Note } from './note.tsx';
export { Rendered } from './rendered.tsx';
export { TextDifference } from './text-difference.tsx';

/** After a version was restored, which makes a new one. */
export const sayRestored = (version: number, next: number) =>
  t('Version {version} is back, as version {next}.', { version: String(version), next: String(next) });

interface LayoutProps<Item extends Version> {
  versions: Item[];
  /** The version in the path, if any. */
  chosen: string | undefined;
  getHref: (version: number) => string;
  /** For a version that is not in the list. */
  missing: string;
  /** What is listed above the versions, and what is shown instead of one if it is chosen. */
  drafts?: { list: ComponentChildren; chosen: ComponentChildren };
  children: (version: Item, current: number) => ComponentChildren;
}

/** The list of versions beside the chosen one. */
export function VersionsLayout<Item extends Version>(props: LayoutProps<Item>) {
  const { versions, chosen, getHref, missing, drafts, children } = props;
  const current = versions.find((each) => each.current)?.version ?? 0;
  const wanted = chosen === undefined || chosen === '' ? current : Number(chosen);
  const version = versions.find((each) => each.version === wanted);
  return (
    <div class="versions">
      <VersionNav
        versions={versions}
        chosen={drafts?.chosen ? 0 : wanted}
        getHref={getHref}
        drafts={drafts?.list}
      />
      {drafts?.chosen || (version ? children(version, current) : <Failure error={new Error(missing)} />)}
    </div>
  );
}
