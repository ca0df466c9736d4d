import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { INDEX_PATH } from '../../../contract/rules/file-paths.ts';
import { formatMoment, Select, Show, Skeleton, useLoad } from '../../ui/index.ts';
import { getVersion, type PageDetail, type Version } from '../api.ts';
import { compareVersions, type FileChange } from './compare.ts';
import { Difference } from './difference.tsx';
import { FileChanges } from './file-changes.tsx';

type Against = 'before' | 'current';

interface ChangesProps {
  page: PageDetail;
  version: Version;
  /** The number of the current version. */
  current: number;
  actions: ComponentChildren;
}

/** What a version changed, or what restoring it would change. */
export function Changes({ page, version, current, actions }: ChangesProps) {
  const [against, setAgainst] = useState<Against>('before');
  const number = version.version;
  const other = against === 'current' ? current : number - 1;
  const loaded = useLoad(
    async (signal) => {
      const [after, before] = await Promise.all([
        getVersion(page.id, number, signal),
        other === 0 ? undefined : getVersion(page.id, other, signal),
      ]);
      const hasFiles = after.files.length > 0 || (before?.files.length ?? 0) > 0;
      const html = { before: before?.html_content ?? '', after: after.html_content };
      return { changes: compareVersions(before, after), html, hasFiles, number, other, against };
    },
    [page.id, number, other, against],
  );
  return (
    <>
      <header class="page-version-head">
        <div>
          <h2>Version {number}</h2>
          <p class="hint">
            {formatMoment(version.createdAt)}
            {version.author && ` by ${version.author}`}
          </p>
        </div>
        <div class="actions">
          {!version.current && (
            <Select
              label="Compare with"
              hideLabel
              value={against}
              options={[
                ['before', 'Compare with previous version'],
                ['current', 'Compare with current version'],
              ]}
              onChange={setAgainst}
            />
          )}
          {actions}
        </div>
      </header>
      <Show loaded={loaded} skeleton={<Skeleton lines={10} />}>
        {({ number, other, ...shown }) => (
          <Compared key={`${number} ${other}`} pageId={page.id} versions={{ number, other }} {...shown} />
        )}
      </Show>
    </>
  );
}

interface ComparedProps {
  pageId: number;
  changes: FileChange[];
  html: { before: string; after: string };
  /** False if neither version has files beside the HTML. */
  hasFiles: boolean;
  versions: { number: number; other: number };
  against: Against;
}

function Compared({ pageId, changes, html, hasFiles, versions, against }: ComparedProps) {
  const [chosen, setChosen] = useState<string>();
  const { number } = versions;
  const what =
    against === 'current' ? `Restoring version ${number} would change` : `Version ${number} changed`;
  const same: FileChange = { path: INDEX_PATH, kind: 'changed', before: undefined, after: undefined };
  const change = changes.find(({ path }) => path === chosen) ?? changes[0] ?? same;
  return (
    <>
      {hasFiles && <FileChanges what={what} changes={changes} chosen={change.path} onChoose={setChosen} />}
      {(!hasFiles || changes.length > 0) && (
        <Difference key={change.path} {...{ pageId, change, html, versions, what }} />
      )}
    </>
  );
}
