import { useState } from 'preact/hooks';
import { INDEX_PATH } from '../../../../contract/rules/file-paths.ts';
import { fileType } from '../../../../contract/rules/file-types.ts';
import { chooseLanguage } from '../../../editor/files/index.ts';
import { CodeEditor } from '../../../editor/index.tsx';
import { t } from '../../../texts/index.ts';
import { Choice, Failure, Show, Skeleton, useLoad } from '../../../ui/index.ts';
import type { PageFile } from '../../files/api.ts';
import { fileKind, isSvg } from '../../files/kind.ts';
import type { EditedPage } from '../work/edited-page.ts';
import { PageSize } from './size.tsx';
import { FileView, InfoCard } from './view.tsx';

/** Files of unknown types up to this size are opened as text, if they are. */
const MAX_GUESSED_BYTES = 1024 * 1024;
const UNKNOWN_TYPE = 'application/octet-stream';

interface OpenProps {
  pageId: number;
  work: EditedPage;
}

/** The open files. Only the current one is shown; the others keep their cursor and their undo history. */
export function OpenFilesPane({ pageId, work }: OpenProps) {
  work.watch();
  const { current, paths } = work.open;
  const [isPicture, setPicture] = useState(false);
  const file = work.known.files?.get(current);
  const canBePicture = file !== undefined && isSvg(current);
  return (
    <section class="page-open" aria-label={t('File')}>
      <header>
        <h2 title={current}>{current}</h2>
        {current === INDEX_PATH && <PageSize work={work} />}
        {canBePicture && (
          <Choice
            label={t('Show as')}
            value={isPicture}
            options={[
              [false, t('Code')],
              [true, t('Picture')],
            ]}
            onChoose={setPicture}
          />
        )}
      </header>
      {canBePicture && isPicture && <FileView pageId={pageId} file={file} kind="image" />}
      {paths.map((path) => (
        <div key={path} class="page-open-file" hidden={path !== current || (canBePicture && isPicture)}>
          <OpenFile pageId={pageId} work={work} path={path} isShown={path === current} />
        </div>
      ))}
    </section>
  );
}

function OpenFile({ pageId, work, path, isShown }: OpenProps & { path: string; isShown: boolean }) {
  work.watch();
  const file = work.known.files?.get(path);
  const kind = fileKind(path);
  const isText =
    kind === 'text' ||
    work.edits.has(path) ||
    (fileType(path) === UNKNOWN_TYPE && file !== undefined && file.size <= MAX_GUESSED_BYTES);
  if (isText) return <TextFile pageId={pageId} work={work} path={path} file={file} />;
  // Sounds and videos must not go on when another file is shown.
  if (!file || !isShown) return null;
  return <FileView key={file.hash} pageId={pageId} file={file} kind={kind} />;
}

interface TextProps extends OpenProps {
  path: string;
  file: PageFile | undefined;
}

function TextFile({ pageId, work, path, file }: TextProps) {
  const [first] = useState(() => work.textNow(path));
  return first === undefined ? (
    <LoadedText pageId={pageId} work={work} path={path} file={file} />
  ) : (
    <TextEditor work={work} path={path} text={first} />
  );
}

function LoadedText({ pageId, work, path, file }: TextProps) {
  const loaded = useLoad(async () => ({ text: await work.load(path) }), [path]);
  if (loaded.error) return <Failure error={loaded.error} retry={loaded.reload} />;
  return (
    <Show loaded={loaded} skeleton={<Skeleton lines={8} />}>
      {({ text }) =>
        text !== undefined ? (
          <TextEditor work={work} path={path} text={text} />
        ) : file ? (
          <InfoCard pageId={pageId} file={file}>
            {fileKind(path) === 'text' && t('It is too large to edit here, or it is not UTF-8 text.')}
          </InfoCard>
        ) : null
      }
    </Show>
  );
}

function TextEditor({ work, path, text }: { work: EditedPage; path: string; text: string }) {
  return (
    <CodeEditor
      text={text}
      language={chooseLanguage(path)}
      label={path === INDEX_PATH ? t('Page HTML') : path}
      onChange={(changed) => work.change(path, changed)}
      onSave={work.save}
      onReady={(editor) => work.attach(path, editor)}
      fileNames={{ path, all: () => work.paths() }}
    />
  );
}
