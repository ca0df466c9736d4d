import { INDEX_PATH } from '../../../contract/rules/file-paths.ts';
import { navigate } from '../../router.tsx';
import { Show, Skeleton, say, useLoad } from '../../ui/index.ts';
import {
  Compared,
  type Comparison,
  compareEntries,
  textEntry,
  VersionDetail,
  VersionsLayout,
} from '../../versions/index.tsx';
import {
  getVersion,
  listVersions,
  type PageDetail,
  restoreVersion,
  screenOf,
  type VersionContent,
} from '../api.ts';
import { Difference } from './difference.tsx';

interface VersionsProps {
  page: PageDetail;
  /** The version in the path, if any. */
  chosen: string | undefined;
  onRestored: () => Promise<void>;
}

/** The versions of a page, with their changes. Each can be restored. */
export function VersionsScreen({ page, chosen, onRestored }: VersionsProps) {
  const loaded = useLoad((signal) => listVersions(page.id, signal), [page.id, page.versionCount]);
  const restore = async (version: number) => {
    const { message } = await restoreVersion(page.id, version);
    await onRestored();
    say(message);
    navigate(screenOf(page.id, 'versions'));
  };
  return (
    <Show loaded={loaded} skeleton={<Skeleton lines={8} />}>
      {(versions) => (
        <VersionsLayout
          versions={versions}
          chosen={chosen}
          hrefOf={(version) => screenOf(page.id, `versions/${version}`)}
          missing={`This page has no version ${chosen}.`}
        >
          {(version, current) => (
            <VersionDetail
              key={version.version}
              version={version}
              current={current}
              previous={version.version - 1}
              restore={() => restore(version.version)}
              question={
                <p>
                  This creates a new version with the text and the files of version {version.version}, and
                  visitors see it. All other versions stay in this list.
                </p>
              }
            >
              {(comparison) => <Changes pageId={page.id} {...comparison} />}
            </VersionDetail>
          )}
        </VersionsLayout>
      )}
    </Show>
  );
}

function Changes({ pageId, number, other, what }: Comparison & { pageId: number }) {
  const loaded = useLoad(
    async (signal) => {
      const [after, before] = await Promise.all([
        getVersion(pageId, number, signal),
        other === 0 ? undefined : getVersion(pageId, other, signal),
      ]);
      const hasFiles = after.files.length > 0 || (before?.files.length ?? 0) > 0;
      const html = { before: before?.html_content ?? '', after: after.html_content };
      const changes = compareEntries(entriesOf(before), entriesOf(after), INDEX_PATH);
      return { changes, html, hasFiles, versions: { number, other }, what };
    },
    [pageId, number, other],
  );
  return (
    <Show loaded={loaded} skeleton={<Skeleton lines={10} />}>
      {({ html, versions, ...shown }) => (
        <Compared key={`${versions.number} ${versions.other}`} main={INDEX_PATH} {...shown}>
          {(change) => (
            <Difference key={change.path} {...{ pageId, change, html, versions }} what={shown.what} />
          )}
        </Compared>
      )}
    </Show>
  );
}

const entriesOf = (version: VersionContent | undefined) =>
  new Map(
    version && [
      [INDEX_PATH, textEntry(version.html_content)],
      ...version.files.map(({ path, hash, size }) => [path, { stamp: hash, size }] as const),
    ],
  );
