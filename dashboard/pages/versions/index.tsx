import { useState } from 'preact/hooks';
import { navigate } from '../../router.tsx';
import { Button, Dialog, Failure, Show, Skeleton, say, useLoad } from '../../ui/index.ts';
import { listVersions, type PageDetail, restoreVersion, screenOf, type Version } from '../api.ts';
import { Changes } from './changes.tsx';
import { VersionNav } from './nav.tsx';

interface VersionsProps {
  page: PageDetail;
  /** The version in the path, if any. */
  chosen: string | undefined;
  onRestored: () => Promise<void>;
}

/** The versions of a page, with their changes. Each can be restored. */
export function VersionsScreen({ page, chosen, onRestored }: VersionsProps) {
  const loaded = useLoad((signal) => listVersions(page.id, signal), [page.id, page.versionCount]);
  return (
    <Show loaded={loaded} skeleton={<Skeleton lines={8} />}>
      {(versions) => {
        // Do not use the page's own count: another tab may have saved since the page was loaded.
        const current = versions.find((each) => each.current)?.version ?? page.versionCount;
        const wanted = chosen === undefined ? current : Number(chosen);
        const version = versions.find((each) => each.version === wanted);
        return (
          <div class="page-versions">
            <VersionNav page={page} versions={versions} chosen={wanted} />
            {version ? (
              <Detail key={version.version} {...{ page, version, current, onRestored }} />
            ) : (
              <Failure error={new Error(`This page has no version ${chosen}.`)} />
            )}
          </div>
        );
      }}
    </Show>
  );
}

interface DetailProps extends Omit<VersionsProps, 'chosen'> {
  version: Version;
  current: number;
}

function Detail({ page, version, current, onRestored }: DetailProps) {
  const [isAsking, setAsking] = useState(false);
  const restore = async () => {
    const { message } = await restoreVersion(page.id, version.version);
    setAsking(false);
    await onRestored();
    say(message);
    navigate(screenOf(page.id, 'versions'));
  };
  return (
    <section class="page-version" aria-label={`Version ${version.version}`}>
      <Changes
        page={page}
        version={version}
        current={current}
        actions={
          !version.current && (
            <Button kind="quiet" onClick={() => setAsking(true)}>
              Restore this version
            </Button>
          )
        }
      />
      {isAsking && (
        <Dialog title={`Restore version ${version.version}?`} onClose={() => setAsking(false)}>
          <p>
            This creates a new version with the text and the files of version {version.version}, and visitors
            see it. All other versions stay in this list.
          </p>
          <div class="actions">
            <Button onClick={restore}>Restore version {version.version}</Button>
            <Button kind="quiet" onClick={() => setAsking(false)}>
              Cancel
            </Button>
          </div>
        </Dialog>
      )}
    </section>
  );
}
