import { type Part, readBoundary, readParts } from '../../../lib/formats/multipart.ts';
import { readBody } from './body.ts';

/** Allowance for boundary lines and part headers. */
const SLACK_BYTES = 64 * 1024;
const USUAL_PARTS = 20;

/**
 * Reads a multipart form whose parts have about `limit` bytes in total. Bun's `formData()` derives a file's type from
 * its name, truncates names at a NUL and ignores `filename*`, so we parse the form ourselves.
 */
export async function readMultipart(
  request: Request,
  limit: number,
  sender: string,
  maxParts = USUAL_PARTS,
): Promise<Part[]> {
  const boundary = readBoundary(request.headers.get('content-type') ?? '');
  const { buffer, byteOffset, byteLength } = await readBody(request, limit + SLACK_BYTES, sender);
  return [...readParts(Buffer.from(buffer, byteOffset, byteLength), boundary, maxParts)];
}
