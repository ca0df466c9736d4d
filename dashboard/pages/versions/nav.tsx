import { Link } from '../../router.tsx';
import { Badge, formatAgo, formatBytes, formatMoment } from '../../ui/index.ts';
import { type PageDetail, screenOf, type Version } from '../api.ts';

/** All versions, newest first. */
export function VersionNav({
  page,
  versions,
  chosen,
}: {
  page: PageDetail;
  versions: Version[];
  chosen: number;
}) {
  return (
    <nav class="page-version-list" aria-label="Versions">
      <ol>
        {versions.map(({ version, createdAt, size, author, current }) => (
          <li key={version}>
            <Link href={screenOf(page.id, `versions/${version}`)} current={version === chosen}>
              <span class="top">
                <strong>Version {version}</strong>
                {current && <Badge kind="good">Current</Badge>}
              </span>
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
