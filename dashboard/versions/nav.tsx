import type { ComponentChildren } from 'preact';
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
  return (
    <nav class="version-list" aria-label={t('Versions')}>
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
