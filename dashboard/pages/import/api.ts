import { importEndpoints } from '../../../contract/imports/endpoints.ts';
import type { ImportQuery, ImportReport } from '../../../contract/imports/imports.ts';
import { MAX_PAGE_FILES } from '../../../contract/rules/limits.ts';
import { call, upload } from '../../api.ts';
import { t } from '../../texts/index.ts';
import { type Chosen, insideOnlyFolder } from '../files/chosen.ts';

export type { ImportReport };

/** What a person imports: files of theirs, or an address. */
export type Source =
  | { name: string; bytes: number; body: FormData | Blob; leftOut: string[] }
  | { url: string };

/** What a person decides about the page. */
export type Choices = Required<Pick<ImportQuery, 'state'>> & Pick<ImportQuery, 'title'>;

interface SendOptions {
  /** With the digest of a report, that is published. */
  choices?: Choices & { digest: string };
  onProgress?: (sent: number, total: number) => void;
  signal: AbortSignal;
}

/** Asks for the report of an import, or publishes it. */
export function sendImport(
  source: Source,
  { choices, onProgress, signal }: SendOptions,
): Promise<ImportReport> {
  if ('url' in source)
    return call(importEndpoints.importAddress, { body: { url: source.url, ...choices }, signal });
  const query = { name: source.name, ...choices };
  return upload(importEndpoints.importFiles, { query, onProgress, signal }, source.body);
}

/** Files as one body: an archive or a single file as it is, a folder as a form. Undefined if there are none. */
export function toSource({ files, leftOut }: Chosen): Source | undefined {
  const [first] = files;
  if (!first) return undefined;
  if (files.length === 1 && !first.path.includes('/'))
    return { name: first.file.name, bytes: first.file.size, body: first.file, leftOut };
  const { folder } = insideOnlyFolder(files);
  // More are not read from the disk, so the rest would be missing.
  if (files.length > MAX_PAGE_FILES)
    throw new Error(
      t(
        '{name} has more than {max} files. Choose the folder that the build makes, or make a zip archive of it.',
        { name: folder || first.path, max: MAX_PAGE_FILES },
      ),
    );
  const body = new FormData();
  for (const { path, file } of files) body.append('file', file, path);
  const bytes = files.reduce((sum, { file }) => sum + file.size, 0);
  return { name: folder, bytes, body, leftOut };
}
