import { useEffect, useState } from 'preact/hooks';
import { INDEX_PATH } from '../../../contract/rules/file-paths.ts';
import { fileType } from '../../../contract/rules/file-types.ts';
import { chooseLanguage } from '../../editor/files/index.ts';
import { t } from '../../texts/index.ts';
import { Show, Skeleton, useLoad } from '../../ui/index.ts';
import { type FileChange, TextDifference } from '../../versions/index.tsx';
import { readFile } from '../files/api.ts';
import { decodeText, fileKind } from '../files/kind.ts';

/** Where a file is read from. */
type Source = { version: number } | { draft: number };

interface DifferenceProps {
  pageId: number;
  change: FileChange;
  /** Of the page itself. */
  html: { before: string; after: string };
  /** Undefined if there is none to compare with. */
  before: Source | undefined;
  after: Source;
  what: string;
}

/** What changed in one file: lines of text, or pictures. */
export function Difference({ html, ...props }: DifferenceProps) {
  const { path } = props.change;
  if (path !== INDEX_PATH) return <FileDifference {...props} />;
  return (
    <TextDifference
      language={chooseLanguage(path)}
      original={html.before}
      text={html.after}
      what={props.what}
    />
  );
}

function FileDifference({ pageId, change, what, ...sides }: Omit<DifferenceProps, 'html'>) {
  const { path, kind } = change;
  const loaded = useLoad(
    async (signal) => {
      const read = (source: Source) => readFile(pageId, path, { ...source, signal });
      const [before, after] = await Promise.all([
        kind === 'added' || !sides.before ? undefined : read(sides.before),
        kind === 'removed' ? undefined : read(sides.after),
      ]);
      const [original, text] = await Promise.all([before && decodeText(before), after && decodeText(after)]);
      const isText = fileKind(path) !== 'image' && (original ?? text) !== undefined;
      return { before, after, original: original ?? '', text: text ?? '', isText };
    },
    [pageId, path, change.before, change.after],
  );
  return (
    <Show loaded={loaded} skeleton={<Skeleton lines={10} />}>
      {({ before, after, original, text, isText }) =>
        isText ? (
          <TextDifference language={chooseLanguage(path)} original={original} text={text} what={what} />
        ) : fileKind(path) === 'image' ? (
          <div class="page-pictures">
            {before && (
              <Picture bytes={before} path={path} caption={t('Before')} alt={t('{path}, before', { path })} />
            )}
            {after && (
              <Picture bytes={after} path={path} caption={t('After')} alt={t('{path}, after', { path })} />
            )}
          </div>
        ) : (
          <p class="hint">{t('This file is not text, so there are no lines to compare.')}</p>
        )
      }
    </Show>
  );
}

interface PictureProps {
  path: string;
  bytes: Blob;
  caption: string;
  alt: string;
}

function Picture({ path, bytes, caption, alt }: PictureProps) {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([bytes], { type: fileType(path) }));
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [bytes]);
  return (
    <figure>
      {url && <img src={url} alt={alt} />}
      <figcaption class="hint">{caption}</figcaption>
    </figure>
  );
}
