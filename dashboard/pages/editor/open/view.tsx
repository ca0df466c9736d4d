import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { fileType } from '../../../../contract/rules/file-types.ts';
import { baseName } from '../../../editor/files/index.ts';
import { t } from '../../../texts/index.ts';
import {
  Button,
  formatAgo,
  formatBytes,
  formatMoment,
  Show,
  Skeleton,
  saveFile,
  useLoad,
} from '../../../ui/index.ts';
import { type PageFile, readFile } from '../../files/api.ts';
import type { FileKind } from '../../files/kind.ts';
import { FontSample } from './font-sample.tsx';

interface ViewProps {
  pageId: number;
  file: PageFile;
  kind: FileKind;
}

/** A file that is not text. */
export function FileView({ pageId, file, kind }: ViewProps) {
  if (kind === 'other' || kind === 'text') return <InfoCard pageId={pageId} file={file} />;
  return <Media key={file.hash} pageId={pageId} file={file} kind={kind} />;
}

function Media({ pageId, file, kind }: ViewProps) {
  const loaded = useLoad((signal) => readFile(pageId, file.path, { signal }), [file.path]);
  return (
    <div class={`page-view ${kind}`}>
      <Show loaded={loaded} skeleton={<Skeleton lines={4} />}>
        {(bytes) => <Shown file={file} kind={kind} bytes={bytes} />}
      </Show>
    </div>
  );
}

function Shown({ file, kind, bytes }: Omit<ViewProps, 'pageId'> & { bytes: Blob }) {
  const url = useObjectUrl(bytes, file.path);
  const [note, setNote] = useState<string>();
  const [isBroken, setBroken] = useState(false);
  const fail = () => setBroken(true);
  if (isBroken) return <Caption file={file} note={t('This browser cannot show it.')} />;
  if (!url) return null;
  return (
    <>
      {kind === 'image' && (
        <img
          src={url}
          alt={t('Content of {name}', { name: baseName(file.path) })}
          onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) =>
            setNote(
              t('{width} × {height} pixels', {
                width: String(naturalWidth),
                height: String(naturalHeight),
              }),
            )
          }
          onError={fail}
        />
      )}
      {/* biome-ignore lint/a11y/useMediaCaption: it is the owner's own file, as it is */}
      {kind === 'audio' && <audio src={url} controls aria-label={baseName(file.path)} onError={fail} />}
      {/* biome-ignore lint/a11y/useMediaCaption: it is the owner's own file, as it is */}
      {kind === 'video' && <video src={url} controls aria-label={baseName(file.path)} onError={fail} />}
      {kind === 'font' && <FontSample bytes={bytes} onError={fail} />}
      <Caption file={file} note={note} />
    </>
  );
}

function Caption({ file, note }: { file: PageFile; note: string | undefined }) {
  return (
    <p class="hint">
      {[note, toMediaType(file), formatBytes(file.size)].filter(Boolean).join(' · ')} ·{' '}
      <span title={formatMoment(file.updatedAt)}>
        {t('changed {when}', { when: formatAgo(file.updatedAt) })}
      </span>
    </p>
  );
}

/** What is known about a file that cannot be shown. */
export function InfoCard({
  pageId,
  file,
  children,
}: {
  pageId: number;
  file: PageFile;
  children?: ComponentChildren;
}) {
  return (
    <div class="page-view">
      <div class="empty">
        <h2>{baseName(file.path)}</h2>
        {children && <p>{children}</p>}
        <Caption file={file} note={undefined} />
        <div class="actions">
          <Button
            kind="quiet"
            onClick={async () => saveFile(baseName(file.path), await readFile(pageId, file.path))}
          >
            {t('Download')}
          </Button>
        </div>
      </div>
    </div>
  );
}

/** The media type without its parameters. */
const toMediaType = ({ path }: PageFile) => fileType(path).split(';')[0] ?? '';

/** A URL of the bytes, for as long as the component is shown. */
function useObjectUrl(bytes: Blob, path: string): string | undefined {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([bytes], { type: fileType(path) }));
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [bytes, path]);
  return url;
}
