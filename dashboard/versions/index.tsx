import type { ComponentChildren } from 'preact';
import { Failure } from '../ui/index.ts';
import { type Version, VersionNav } from './nav.tsx';

/** What the screens of versions share: those of pages, and those of functions. */

export { compareEntries, type FileChange, textEntry } from './compare.ts';
export { Compared } from './compared.tsx';
export { type Comparison, VersionDetail } from './detail.tsx';
export { TextDifference } from './text-difference.tsx';

interface LayoutProps<Item extends Version> {
  versions: Item[];
  /** The version in the path, if any. */
  chosen: string | undefined;
  hrefOf: (version: number) => string;
  /** For a version that is not in the list. */
  missing: string;
  children: (version: Item, current: number) => ComponentChildren;
}

/** The list of versions beside the chosen one. */
export function VersionsLayout<Item extends Version>(props: LayoutProps<Item>) {
  const { versions, chosen, hrefOf, missing, children } = props;
  const current = versions.find((each) => each.current)?.version ?? 0;
  const wanted = chosen === undefined || chosen === '' ? current : Number(chosen);
  const version = versions.find((each) => each.version === wanted);
  return (
    <div class="versions">
      <VersionNav versions={versions} chosen={wanted} hrefOf={hrefOf} />
      {version ? children(version, current) : <Failure error={new Error(missing)} />}
    </div>
  );
}
