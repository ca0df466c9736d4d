import { DATABASE_HEADERS, type MovedTo, parseMoved } from '../../protocol.ts';

/** The body of a request that is forwarded, for one attempt. */
export interface ForwardedBody {
  stream: ReadableStream<Uint8Array> | null;
  /** If it is known: without it, a request of a cell is refused. */
  length?: number;
  /** Whether the other host may have it. */
  isSent(): boolean;
  /** Called when the other host responds. */
  onResponse?(): void;
}

/** Forwards a request to the host that has the database now. */
export type Forward = (to: MovedTo, makeBody: () => ForwardedBody) => Promise<Response>;

/** Where a database says that it is, if not here. */
export const movedTo = ({ headers }: Response): MovedTo | undefined =>
  headers.has(DATABASE_HEADERS.moved) ? parseMoved(headers.get(DATABASE_HEADERS.moved)) : undefined;
