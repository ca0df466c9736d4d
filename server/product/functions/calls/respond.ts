import type { CellAnswer } from '../../../runtime/cells/index.ts';
import { limitBody } from './response-body.ts';

/** Writes a line about a call to the function's log. */
export type Note = (status: number, error?: string) => void;

/** The response to a caller. */
export function respond(
  request: Request,
  answer: CellAnswer,
  headers: Record<string, string>,
  note: Note,
): Response {
  const { status, stream } = answer;
  if (request.method === 'HEAD') {
    note(status);
    stream?.done();
    stream?.body.cancel().catch(() => undefined);
    return headOnly(status, headers, answer.headers.get('content-length'));
  }
  if (!stream) {
    note(status);
    return new Response(isBodiless(status) ? null : answer.whole, { status, headers });
  }
  const limited = limitBody(stream.body, (error) => {
    stream.done();
    note(status, error);
  });
  return new Response(limited, { status, headers });
}

/** The response to HEAD: the length that the function gave, or none. A body that is missing would mean zero bytes. */
function headOnly(status: number, headers: Record<string, string>, length: string | null): Response {
  if (length !== null) headers['content-length'] = length;
  const isUnknown = length === null && !isBodiless(status);
  return new Response(isUnknown ? new ReadableStream() : null, { status, headers });
}

function isBodiless(status: number): boolean {
  return status === 204 || status === 205 || status === 304;
}
