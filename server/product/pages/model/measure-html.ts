import { MAX_HTML_BYTES } from '../../../../contract/rules/limits.ts';
import { AppError } from '../../../lib/errors.ts';

/** The size of a document in bytes; refused when it is over the limit. */
export function measureHtml(html: string, field = 'html_content'): number {
  const size = Buffer.byteLength(html);
  if (size <= MAX_HTML_BYTES) return size;
  throw new AppError(
    'PAYLOAD_TOO_LARGE',
    '{field} has {size} bytes; at most {count} are allowed. Move parts of it to files.',
    { field, size, count: MAX_HTML_BYTES },
  );
}
