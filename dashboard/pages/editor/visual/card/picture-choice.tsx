import { useEffect, useState } from 'preact/hooks';
import { fileType } from '../../../../../contract/rules/file-types.ts';
import { baseName } from '../../../../editor/files/index.ts';
import { readFile } from '../../../files/api.ts';

/** More would take long to load. */
const MAX_SHOWN = 24;

interface ChoiceProps {
  pageId: number;
  paths: string[];
  onChoose: (path: string) => void;
}

/** The pictures among the files of the page. */
export function PictureChoice({ pageId, paths, onChoose }: ChoiceProps) {
  return (
    <ul class="visual-pictures">
      {paths.slice(0, MAX_SHOWN).map((path) => (
        <li key={path}>
          <button type="button" title={path} aria-label={path} onClick={() => onChoose(path)}>
            <Thumbnail pageId={pageId} path={path} />
          </button>
        </li>
      ))}
    </ul>
  );
}

function Thumbnail({ pageId, path }: { pageId: number; path: string }) {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    const abort = new AbortController();
    let made: string | undefined;
    readFile(pageId, path, { signal: abort.signal }).then(
      (bytes) => {
        made = URL.createObjectURL(new Blob([bytes], { type: fileType(path) }));
        setUrl(made);
      },
      () => undefined,
    );
    return () => {
      abort.abort();
      if (made) URL.revokeObjectURL(made);
    };
  }, [pageId, path]);
  return url ? <img src={url} alt="" loading="lazy" /> : <span>{baseName(path)}</span>;
}
