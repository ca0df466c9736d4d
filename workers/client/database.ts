/**
 * `env.DB`: workerd's own D1 client, with transactions. It runs in the owner's isolate, but the connection to the
 * database is no secret: the host checks what it is sent.
 */
import makeClient from 'cloudflare-internal:d1-api';
import hooks from 'node-internal:async_hooks';
import { DATABASE_HEADERS, START_RUN, START_TRACE } from '../protocol.ts';
import { type Callback, type Fetch, runTransaction, type Transaction } from './transaction.ts';

interface Inner {
  fetcher: { fetch: Fetch };
}

/** The transaction that is open in a call, as seen from the code that it calls. */
const current = new hooks.AsyncLocalStorage<Transaction>();
/** The run that a call is part of, as seen from the code that it calls. */
const runs = new hooks.AsyncLocalStorage<string>();
/** The span that a call is, if it is traced. */
const traces = new hooks.AsyncLocalStorage<string>();

/** Makes `env.DB`. The configuration of a cell names this module. */
export default function makeBinding(inner: Inner): object {
  const { fetcher } = inner;
  const client = makeClient(inner);
  const pass: Fetch = (input, init) => fetcher.fetch(input, withMarks(init));
  const send: Fetch = (input, init) => {
    assertOutside();
    return pass(input, init);
  };
  direct(client, send);
  client.transaction = async (callback: Callback) => {
    assertOutside();
    return runTransaction(pass, callback, {
      makeClient: (transaction) => direct(makeClient(inner), transaction.fetch),
      call: (transaction, run) => current.run(transaction, run),
    });
  };
  Object.defineProperty(client, Symbol.for(START_RUN), {
    value: <Result>(run: string, call: () => Result) => runs.run(run, call),
  });
  Object.defineProperty(client, Symbol.for(START_TRACE), {
    value: <Result>(traceparent: string, call: () => Result) => traces.run(traceparent, call),
  });
  return client;
}

/** Says which run and which span a statement is part of. */
function withMarks(init: RequestInit | undefined): RequestInit | undefined {
  const run = runs.getStore();
  const traceparent = traces.getStore();
  if (run === undefined && traceparent === undefined) return init;
  const headers = new Headers(init?.headers);
  if (run !== undefined) headers.set(DATABASE_HEADERS.run, run);
  if (traceparent !== undefined) headers.set(DATABASE_HEADERS.traceparent, traceparent);
  return { ...init, headers };
}

/** Lets a client send its statements elsewhere. */
function direct<Client extends ReturnType<typeof makeClient>>(client: Client, fetch: Fetch): Client {
  const fetcher = { fetch };
  client.fetcher = fetcher;
  client.alwaysPrimarySession = new client.alwaysPrimarySession.constructor(fetcher, null);
  return client;
}

/** A statement beside the open transaction of its own call would wait for it, and the transaction for the statement. */
function assertOutside(): void {
  const transaction = current.getStore();
  if (transaction && !transaction.isOver)
    throw new Error(
      'A transaction of this database is open here, and this would wait for its end. Inside of env.DB.transaction, use tx instead of env.DB.',
    );
}
