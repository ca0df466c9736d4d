import { Link } from '../router.tsx';
import { Badge, formatAgo, formatBytes, formatMoment } from '../ui/index.ts';

/** A version of a page or of a function. */
export interface Version {
  version: number;
  createdAt: string;
  size: number;
  author?: string | null;
  current: boolean;
}

interface NavProps {
  versions: Version[];
  chosen: number;
  hrefOf: (version: number) => string;
}

/** All versions, newest first. */
export function VersionNav({ versions, chosen, hrefOf }: NavProps) {
  return (
    <nav class="version-list" aria-label="Versions">
      <ol>
        {versions.map(({ version, createdAt, size, author, current }) => (
          <li key={version}>
            <Link href={hrefOf(version)} current={version === chosen}>
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
