import { INDEX_PATH } from '../../../contract/rules/file-paths.ts';
import { navigate } from '../../router.tsx';
import { t } from '../../texts/index.ts';
import { Show, Skeleton, say, useLoad } from '../../ui/index.ts';
import {
  Compared,
  type Comparison,
  compareEntries,
  Rendered,
  sayRestored,
  VersionDetail,
  VersionsLayout,
} from '../../versions/index.tsx';
import {
  getVersion,
  listVersions,
  noteVersion,
  type PageDetail,
  restoreVersion,
  toPageScreen,
} from '../api.ts';
import { listDrafts } from '../drafts/api.ts';
import { Difference } from './difference.tsx';
import { ChosenDraft, isDraftPart } from './draft.tsx';
import { DraftList } from './draft-list.tsx';
import { toEntries } from './entries.ts';

interface VersionsProps {
  page: PageDetail;
  /** The version in the path, if any. */
  chosen: string | undefined;
  onRestored: () => Promise<void>;
}

async function readHistory(pageId: number, signal: AbortSignal) {
  const [versions, drafts] = await Promise.all([listVersions(pageId, signal), listDrafts(pageId, signal)]);
  return { versions, drafts };
}

/** The drafts and versions of a page, with their changes. Each can be looked at, published or restored. */
export function VersionsScreen({ page, chosen, onRestored }: VersionsProps) {
  const loaded = useLoad((signal) => readHistory(page.id, signal), [page.id, page.versionCount]);
  const restore = async (version: number) => {
    const restored = await restoreVersion(page.id, version);
    await onRestored();
    say(sayRestored(version, restored.version));
    navigate(toPageScreen(page.id, 'versions'));
  };
  const changed = async () => {
    await onRestored();
    await loaded.reload();
  };
  return (
    <Show loaded={loaded} skeleton={<Skeleton lines={8} />}>
      {({ versions, drafts }) => (
        <VersionsLayout
          versions={versions}
          chosen={chosen}
          getHref={(version) => toPageScreen(page.id, `versions/${version}`)}
          missing={t('This page has no version {version}.', { version: chosen ?? '' })}
          drafts={{
            list: <DraftList pageId={page.id} drafts={drafts} chosen={chosen} />,
            chosen: isDraftPart(chosen) && (
              <ChosenDraft page={page} drafts={drafts} chosen={chosen} onChange={changed} />
            ),
          }}
        >
          {(version, current) => (
            <VersionDetail
              key={version.version}
              version={version}
              current={current}
              previous={version.version - 1}
              restore={() => restore(version.version)}
              onNote={async (note) => {
                await noteVersion(page.id, version.version, note);
                await loaded.reload();
              }}
              question={
                <p>
                  {t(
                    'This creates a new version with the text and the files of version {version}, and visitors see it. All other versions stay in this list.',
                    { version: String(version.version) },
                  )}
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
      const changes = compareEntries(toEntries(before), toEntries(after), INDEX_PATH);
      const url = after.preview_url;
      return { changes, html, hasFiles, versions: { number, other }, what, url };
    },
    [pageId, number, other],
  );
  return (
    <Show loaded={loaded} skeleton={<Skeleton lines={10} />}>
      {({ html, versions, url, ...shown }) => (
        <div class="version-sides">
          <div>
            <Compared key={`${versions.number} ${versions.other}`} main={INDEX_PATH} {...shown}>
              {(change) => (
                <Difference
                  key={change.path}
                  {...{ pageId, change, html }}
                  before={versions.other === 0 ? undefined : { version: versions.other }}
                  after={{ version: versions.number }}
                  what={shown.what}
                />
              )}
            </Compared>
          </div>
          <Rendered
            key={versions.number}
            url={url}
            label={t('Preview of version {version}', { version: String(versions.number) })}
          />
        </div>
      )}
    </Show>
  );
}
