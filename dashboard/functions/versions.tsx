import type { FunctionVersionDetail } from '../../contract/functions/versions.ts';
import { MAIN_MODULE as MAIN } from '../../contract/rules/function-names.ts';
import { MAX_FUNCTION_VERSIONS } from '../../contract/rules/limits.ts';
import { chooseLanguage } from '../editor/files/index.ts';
import { navigate } from '../router.tsx';
import { t } from '../texts/index.ts';
import { Show, Skeleton, say, useLoad } from '../ui/index.ts';
import {
  Compared,
  type Comparison,
  compareEntries,
  sayRestored,
  TextDifference,
  textEntry,
  VersionDetail,
  VersionsLayout,
} from '../versions/index.tsx';
import { listVersions, noteVersion, readVersion, restoreVersion } from './api.ts';

/** The versions of a function, with their changes. Each can be restored. */
export function VersionsPart({ slug, chosen }: { slug: string; chosen: string }) {
  const loaded = useLoad((signal) => listVersions(slug, signal), [slug]);
  const screen = `/functions/${slug}/versions`;
  const restore = async (version: number) => {
    const restored = await restoreVersion(slug, version);
    await loaded.reload();
    say(sayRestored(version, restored.version));
    navigate(screen);
  };
  return (
    <Show loaded={loaded} skeleton={<Skeleton lines={8} />}>
      {(versions) => (
        <>
          <p class="hint fn-versions-note">
            {t(
              'The last {count} versions of the code are kept. Secrets, the database and the settings are not part of a version.',
              { count: MAX_FUNCTION_VERSIONS },
            )}
          </p>
          <VersionsLayout
            versions={versions}
            chosen={chosen}
            getHref={(version) => `${screen}/${version}`}
            missing={t('Version {version} does not exist, or is no longer kept.', { version: chosen })}
          >
            {(version, current) => (
              <VersionDetail
                key={version.version}
                version={version}
                current={current}
                previous={findPrevious(versions, version.version)}
                restore={() => restore(version.version)}
                onNote={async (note) => {
                  await noteVersion(slug, version.version, note);
                  await loaded.reload();
                }}
                question={<Question version={version.version} />}
              >
                {(comparison) => <Changes slug={slug} {...comparison} />}
              </VersionDetail>
            )}
          </VersionsLayout>
        </>
      )}
    </Show>
  );
}

/** What restoring a version means. */
function Question({ version }: { version: number }) {
  return (
    <>
      <p>
        {t(
          'This loads the code of version {version} and deploys it as a new version. If it no longer loads, the current version keeps serving.',
          { version: String(version) },
        )}
      </p>
      <p>{t('Secrets, the database and the settings are not part of a version. They stay as they are.')}</p>
    </>
  );
}

function findPrevious(versions: Array<{ version: number }>, number: number): number | undefined {
  if (number === 1) return 0;
  return versions[versions.findIndex(({ version }) => version === number) + 1]?.version;
}

function Changes({ slug, number, other, what }: Comparison & { slug: string }) {
  const loaded = useLoad(
    async (signal) => {
      const [after, before] = await Promise.all([
        readVersion(slug, number, signal),
        other === 0 ? undefined : readVersion(slug, other, signal),
      ]);
      const [earlier, later] = [readSources(before), readSources(after)];
      return { earlier, later, what, id: `${number} ${other}` };
    },
    [slug, number, other],
  );
  return (
    <Show loaded={loaded} skeleton={<Skeleton lines={10} />}>
      {({ earlier, later, what, id }) => (
        <Compared
          key={id}
          what={what}
          changes={compareEntries(toEntries(earlier), toEntries(later), MAIN)}
          hasFiles={later.size > 1 || earlier.size > 1}
          main={MAIN}
        >
          {({ path }) => (
            <TextDifference
              key={path}
              original={earlier.get(path) ?? ''}
              text={later.get(path) ?? ''}
              language={chooseLanguage(path)}
              what={what}
            />
          )}
        </Compared>
      )}
    </Show>
  );
}

/** The modules of a version by their path. */
const readSources = (version: FunctionVersionDetail | undefined) =>
  new Map(version && [[MAIN, version.code], ...Object.entries(version.files)]);

const toEntries = (sources: Map<string, string>) =>
  new Map([...sources].map(([path, text]) => [path, textEntry(text)]));
