import { t } from '../texts/index.ts';
import { Badge, formatBytes } from '../ui/index.ts';
import type { FileChange } from './compare.ts';

interface FileChangesProps {
  what: string;
  changes: FileChange[];
  chosen: string;
  onChoose: (path: string) => void;
}

const KINDS = {
  added: [t('Added'), 'good'],
  removed: [t('Removed'), 'bad'],
  changed: [t('Changed'), 'plain'],
} as const;

/** The files that differ between two versions. Each can be looked at. */
export function FileChanges({ what, changes, chosen, onChoose }: FileChangesProps) {
  if (changes.length === 0) return <p class="version-summary">{t('No changes')}</p>;
  return (
    <>
      <p class="version-summary">
        {t('{what} {count|{count} file|{count} files}', { what, count: changes.length })}
      </p>
      <ul class="version-files" aria-label={t('Files that differ')}>
        {changes.map(({ path, kind, before, after }) => (
          <li key={path}>
            <button type="button" aria-pressed={path === chosen} onClick={() => onChoose(path)}>
              <Badge kind={KINDS[kind][1]}>{KINDS[kind][0]}</Badge>
              <span class="path">{path}</span>
              <span class="faint number">{sizes(before, after)}</span>
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}

const sizes = (before: number | undefined, after: number | undefined) =>
  [before, after].flatMap((size) => (size === undefined ? [] : formatBytes(size))).join(' → ');
