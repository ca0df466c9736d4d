import { BRANCH_PARAM } from '../../../../contract/functions/call-tickets.ts';
import type { TestedCall } from '../../../../contract/functions/functions.ts';
import { limitKey } from '../../../lib/addresses.ts';
import { AppError, notFound } from '../../../lib/errors.ts';
import {
  asksForSocket,
  type Log,
  offeredProtocols,
  type RespondToError,
  readRawBody,
  type Sockets,
  Upgrade,
} from '../../../platform/http/index.ts';
import { runResponding, runSpan, type Span, startSpan } from '../../../platform/traces/index.ts';
import type { CellAnswer, Cells } from '../../../runtime/cells/index.ts';
import type { Databases } from '../../../runtime/databases/index.ts';
import type { MomentKeeper } from '../../ports.ts';
import type { FunctionLogs } from '../logs/logs.ts';
import { BlockedError } from '../model/block.ts';
import { takeParam, takeTicket } from './call-tickets.ts';
import { toFailureBody } from './failure-body.ts';
import { CALL_HEADERS, type Failure, fail, findFailure, UNKNOWN } from './failures.ts';
import { CallGate, type CallGateOptions, type CallOrigin, type CallTarget } from './gate/call-gate.ts';
import { ownHostHeaders, sandboxedHeaders } from './headers.ts';
import type { LiveFunction } from './registry.ts';
import { type FailedCall, reportFailure } from './report-failure.ts';
import { type Note, respond } from './respond.ts';
import { type CallRequest, type RunAnswer, Runner } from './run.ts';
import type { Bridge } from './sockets/bridge.ts';
import { socketRefusal } from './sockets/limits.ts';
import { toAnswer, toFailedAnswer, toInsight } from './test-call.ts';
import type { TestCaller } from './test-caller.ts';

export type { CallOrigin, CallTarget } from './gate/call-gate.ts';

/** The close code for a WebSocket over the limit. */
const TRY_AGAIN = 1013;
/** The header that names the function that calls another one. It never comes from outside. */
const CALLING_FUNCTION = 'x-quire-function';
const MAX_CALL_BODY_BYTES = 10 * 1024 * 1024;

export interface CallsOptions extends CallGateOptions {
  cells: Cells;
  databases: Databases;
  logs: FunctionLogs;
  now: () => number;
  log: Log;
  sockets: Sockets;
  respondToError: RespondToError;
  moments: Pick<MomentKeeper, 'noteChange' | 'assertNotRestoring'>;
  callFailed(call: FailedCall): void;
}

/** Calls of functions, on every route. */
export class Calls {
  readonly #options: CallsOptions;
  readonly #gate: CallGate;
  readonly #runner: Runner;

  constructor(options: CallsOptions) {
    this.#options = options;
    this.#gate = new CallGate(options);
    this.#runner = new Runner(options);
  }

  call(request: Request, target: CallTarget, caller: CallOrigin): Promise<Response> {
    const span = startSpan('function call');
    return span
      ? runResponding(span, () => this.#call(request, target, caller, span))
      : this.#call(request, target, caller);
  }

  async #call(
    request: Request,
    target: CallTarget,
    caller: CallOrigin,
    span?: Span | undefined,
  ): Promise<Response> {
    try {
      const gate = startSpan('gate');
      const admitted = gate
        ? runSpan(gate, () => this.#gate.admit(request, target, caller))
        : this.#gate.admit(request, target, caller);
      const found = await admitted;
      if (found instanceof Response) return found;
      if (span) span.attributes['quire.function_id'] = found.id;
      return await this.#run(found.id, request, target, caller);
    } catch (error) {
      return this.#options.respondToError(error, {
        request,
        requestId: caller.requestId,
        as: 'json',
        toBody: toFailureBody,
        headers: CALL_HEADERS,
      });
    }
  }

  /** Calls a function as its owner, or as a visitor of its page. The owner also learns what it printed and threw. */
  async test(
    id: number,
    request: Request,
    path: string,
    caller: CallOrigin,
    as?: TestCaller,
  ): Promise<TestedCall> {
    const { apiLimit, registry, logs, now } = this.#options;
    const source = limitKey(caller.address);
    await apiLimit.take(source);
    const startedAt = now();
    const body = await readRawBody(request, MAX_CALL_BODY_BYTES, source);
    const found = await registry.byId(id);
    if (!found) throw notFound('This function was not found.');
    // The function may have been taken down while the body arrived.
    if (found.block) throw new BlockedError(found.block);
    this.#admit(found);
    // Ask for no compression, because a compressed body could not be shown.
    const headers = new Headers(request.headers);
    headers.delete('accept-encoding');
    const sent = new Request(request.url, { method: 'POST', headers, signal: request.signal });
    if (as?.member !== undefined) logs.system(id, `A test call was made in the name of ${as.member}.`);
    const trace = logs.traces.begin(id);
    const who = as && { who: as.headers };
    const call = { request: sent, body, path, address: caller.address, source, database: found };
    const traced = { ...call, trace: trace.id, ...who };
    const answer = await this.#answerTest(found, traced, startedAt).finally(() => logs.traces.end(trace));
    // Write the log first: then the stack has the places of the source.
    await logs.flush();
    return { ...answer, ...toInsight(trace) };
  }

  /** Calls a function for another one of the same owner. Its response has status 200 unless the call itself fails. */
  async callBetween(
    from: LiveFunction & { ownerId: number },
    slug: string,
    body: string,
    { signal, run }: { signal: AbortSignal; run?: string | undefined },
  ): Promise<Response> {
    const { names, now, logs } = this.#options;
    const startedAt = now();
    const found = await names.findBetween(from, slug);
    if (found?.ownerId !== from.ownerId)
      throw notFound('You have no function {slug}. A function can call others of the same owner.', {
        slug: JSON.stringify(slug),
      });
    if (found.block) return fail(found.block);
    this.#admit(found);
    const headers = { 'content-type': 'application/json' };
    const request = new Request('http://function/', { method: 'POST', headers, signal });
    const result = await this.#runner.run(found.entry, {
      ...{ request, body: Buffer.from(body), path: '/', address: '127.0.0.1' },
      source: `function ${from.id}`,
      who: { [CALLING_FUNCTION]: from.slug },
      run,
    });
    const note = (status: number, error?: string) => logs.call(found.id, { status, startedAt, error });
    const failure = 'error' in result ? result : findFailure(this.#options, result, found);
    if (failure) return this.#fail(failure, found.id, { requestId: '' }, note);
    const answer = result as CellAnswer;
    return respond(request, { ...answer, status: 200 }, {}, () => note(answer.status));
  }

  /** Calls a function for those who follow what it answers. It learns nothing of their browsers and addresses. */
  async runLive(
    found: LiveFunction,
    { body, who, run }: { body: string; who: Record<string, string>; run: string },
    signal: AbortSignal,
  ): Promise<CellAnswer | Failure> {
    const { now, logs } = this.#options;
    const startedAt = now();
    this.#admit(found);
    const headers = { 'content-type': 'application/json', 'user-agent': 'Quire' };
    const request = new Request('http://function/', { method: 'POST', headers, signal });
    const result = await this.#runner.run(found.entry, {
      ...{ request, body: Buffer.from(body), path: '/', address: '127.0.0.1', who },
      ...{ source: `live calls of ${found.id}`, run },
    });
    const failure = 'error' in result ? result : findFailure(this.#options, result, found);
    if (!signal.aborted) {
      const { status } = failure ?? (result as CellAnswer);
      logs.call(found.id, { status, startedAt, error: failure && (failure.logged ?? failure.error) });
    }
    return failure ?? (result as CellAnswer);
  }

  async #answerTest(found: LiveFunction, call: CallRequest, startedAt: number) {
    const { logs, now } = this.#options;
    const result = await this.#runner.run(found.entry, call);
    const failure = 'error' in result ? result : findFailure(this.#options, result, found);
    const answer = failure ? await toFailedAnswer(failure) : await toAnswer(result as CellAnswer);
    const durationMs = Math.round(now() - startedAt);
    const error = failure && (failure.logged ?? failure.error);
    logs.call(found.id, { status: answer.status, startedAt, error });
    return { ...answer, durationMs };
  }

  async #run(id: number, request: Request, target: CallTarget, caller: CallOrigin): Promise<Response> {
    const startedAt = this.#options.now();
    const source = limitKey(caller.address);
    const body = await readRawBody(request, MAX_CALL_BODY_BYTES, source);
    // Bun closes a connection on which the next request comes before this response, as soon as it has parsed both.
    await new Promise<void>((resolve) => setImmediate(resolve));
    if (request.signal.aborted)
      throw new AppError('BAD_REQUEST', 'The connection was closed before the call began. Send it again.');
    // Read the function again: while the body arrived, it may have been deployed again or deleted.
    const found = await this.#options.registry.byId(id);
    if (!found) return fail(UNKNOWN);
    if (found.block) return fail(found.block);
    this.#admit(found);
    const { path, ticket } = takeTicket(takeParam(target.path, BRANCH_PARAM).path);
    const asked = this.#options.whoCalls.headersFor(found, request, caller, ticket);
    const who = asked instanceof Promise ? await asked : asked;
    const isUpgrade = asksForSocket(request);
    const refusal = isUpgrade ? this.#socketRefusal(id, request, source, caller) : undefined;
    const call = { request, body, path, address: caller.address, source, who, isUpgrade, database: found };
    const result = refusal ?? (await this.#runner.run(found.entry, call));
    const note = (status: number, error?: string) =>
      this.#options.logs.call(id, { status, startedAt, error });
    const failure = 'error' in result ? result : findFailure(this.#options, result, found);
    if (failure) {
      reportFailure(this.#options.callFailed, found, failure, call);
      return this.#fail(failure, id, caller, note);
    }
    const answer = result as RunAnswer;
    if (answer.bridge) return this.#accept(answer.bridge, id, request, { ...caller, source }, note);
    const toHeaders = 'slug' in target ? sandboxedHeaders : ownHostHeaders;
    return respond(request, answer, toHeaders(answer.headers, answer.status), note);
  }

  /** Fails while the function's page is restored. Otherwise the call may change its database. */
  #admit({ pageId, databaseId }: LiveFunction): void {
    const { moments } = this.#options;
    if (pageId !== null) moments.assertNotRestoring(pageId);
    if (pageId !== null && databaseId !== null) moments.noteChange(pageId);
  }

  /** Why the function cannot have another WebSocket. Throws if the server cannot. */
  #socketRefusal(id: number, request: Request, source: string, caller: CallOrigin): Failure | undefined {
    const { cells, sockets } = this.#options;
    sockets.assertCanOpen(request, caller);
    return socketRefusal(cells.pool.countOpenSockets(id, source), 1);
  }

  #accept(
    bridge: Bridge,
    id: number,
    request: Request,
    caller: CallOrigin & { source: string },
    note: Note,
  ): Response {
    const { cells, sockets } = this.#options;
    // Count again with this WebSocket, because others may have been opened at the same time.
    const refusal = socketRefusal(cells.pool.countOpenSockets(id, caller.source), 0);
    if (refusal) {
      bridge.closed(TRY_AGAIN, refusal.error);
      return this.#fail(refusal, id, caller, note);
    }
    const protocol = offeredProtocols(request).find((name) => name === bridge.protocol);
    const response = sockets.accept(request, caller, new Upgrade(bridge, { kind: 'function', protocol }));
    note(response.status);
    return response;
  }

  #fail(failure: Failure, id: number, { requestId }: Pick<CallOrigin, 'requestId'>, note: Note): Response {
    note(failure.status, failure.logged ?? failure.error);
    // Log for the operator, because the function is not to blame.
    if (failure.status === 503) {
      const reason = failure.cause ?? failure.error;
      this.#options.log.warn({ requestId, function: id, status: 503, reason }, 'call refused');
    }
    return fail(failure);
  }
}
