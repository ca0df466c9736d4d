import { MAX_FILE_BYTES } from '../../../contract/rules/limits.ts';
import { Upload } from '../../../contract/teams/teams.ts';
import { AppError } from '../../lib/errors.ts';
import { parseContentType, readMultipart, validate } from '../../platform/http/index.ts';

/** A file as it was sent. */
interface SentFile {
  name: string;
  contentType: string;
  bytes: Uint8Array;
}

/** Reads the one file of a form, in its field `file`. */
export async function readUpload(request: Request, sender: string): Promise<SentFile> {
  const parts = await readMultipart(request, MAX_FILE_BYTES, sender);
  const stray = parts.find(({ name }) => name !== 'file');
  if (stray)
    throw new AppError('BAD_REQUEST', '{name}: is not a known field.', {
      name: stray.name.slice(0, 100),
    });
  const [part, second] = parts;
  if (part?.filename === undefined || second) {
    throw new AppError('BAD_REQUEST', 'file: Send one file, with its name, in the field file.');
  }
  const { file: name } = validate(Upload, { file: part.filename });
  if (part.bytes.byteLength > MAX_FILE_BYTES) {
    throw new AppError(
      'PAYLOAD_TOO_LARGE',
      'The file is larger than the {count} bytes allowed here. Send a smaller one.',
      { count: MAX_FILE_BYTES },
    );
  }
  return { name, contentType: parseContentType(part.contentType), bytes: part.bytes };
}
