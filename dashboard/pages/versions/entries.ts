import { INDEX_PATH } from '../../../contract/rules/file-paths.ts';
import { textEntry } from '../../versions/index.tsx';
import type { VersionContent } from '../api.ts';

/** The document and the files of a version or a draft, to compare. */
export const toEntries = (content: VersionContent | undefined) =>
  new Map(
    content && [
      [INDEX_PATH, textEntry(content.html_content)],
      ...content.files.map(({ path, hash, size }) => [path, { stamp: hash, size }] as const),
    ],
  );
