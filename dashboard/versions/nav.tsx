import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Link } from '../router.tsx';
import { t } from '../texts/index.ts';
import { Badge, formatAgo, formatBytes, formatMoment } from '../ui/index.ts';

/** A version of a page or of a function. */
export interface Version {
  version: number;
  createdAt: string;
  size: number;
  author?: string | null;
  current: boolean;
  note?: string | undefined;
}

interface NavProps {
  versions: Version[];
  chosen: number;
  getHref: (version: number) => string;
  /** What is not a version yet. */
  drafts?: ComponentChildren;
}

/** All versions, newest first. */
export function VersionNav({ versions, chosen, getHref, drafts }: NavProps) {
  const list = useRef<HTMLElement>(null);
  useEffect(() => {
    if (list.current) showChosen(list.current);
  }, [chosen]);
  return (
    <nav class="version-list" aria-label={t('Versions')} ref={list}>
      <ol>
        {drafts}
        {versions.map(({ version, createdAt, size, author, current, note }) => (
          <li key={version}>
            <Link href={getHref(version)} current={version === chosen}>
              <span class="top">
                <strong>{t('Version {version}', { version: String(version) })}</strong>
                {current && <Badge kind="good">{t('Current')}</Badge>}
              </span>
              {note && <span class="note">{note}</span>}
              <span class="hint" title={formatMoment(createdAt)}>
                {formatAgo(createdAt)} · {formatBytes(size)}
                {author && ` · ${author}`}
              </span>
            </Link>
          </li>
        ))}
      </ol>
    </nav>
  );
}

/** Scrolls only the list, never the screen, if the chosen version is not visible in it. */
function showChosen(list: HTMLElement): void {
  const item = list.querySelector('[aria-current]');
  if (!item) return;
  const [at, within] = [item.getBoundingClientRect(), list.getBoundingClientRect()];
  if (at.top < within.top || at.bottom > within.bottom)
    list.scrollTop += at.top + at.height / 2 - within.top - within.height / 2;
}
