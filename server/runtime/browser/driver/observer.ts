import {
  type CONSOLE_LEVELS,
  type ConsoleMessage,
  type FailedRequest,
  MAX_CONSOLE_MESSAGES,
  MAX_FAILED_REQUESTS,
  MAX_NOTES,
  MAX_PAGE_ERRORS,
  MAX_RESPONSE_TEXT,
  type PageError,
} from '../../../../contract/checks/page-check.ts';
import { EGRESS_HEADERS } from '../../../../workers/protocol.ts';
import type { Params } from './pipe.ts';
import { readList, readNumber, readObject, readText, readUrl, sayArguments } from './values.ts';

type Level = (typeof CONSOLE_LEVELS)[number];

const LEVELS: Record<string, Level> = {
  debug: 'debug',
  verbose: 'debug',
  info: 'info',
  warning: 'warning',
  error: 'error',
  assert: 'error',
};
/** Requests whose end is awaited. A page with more does not become idle. */
const MAX_OPEN_REQUESTS = 1_000;
/** Characters of a URL that is compared with others. */
const MAX_URL = 10_000;
/** Scripts that are remembered, to find the line of one that does not end. */
const MAX_SCRIPTS = 1_000;
/** Streams stay open for as long as the page does. */
const STREAMS = ['EventSource', 'WebSocket'];
/** Requests of scripts may be streams too, and end only if the script reads the whole body. */
const SCRIPTED = ['Fetch', 'XHR'];
const NOT_REACHED = 'It is not a public address, or it does not answer.';

/** Collects what a page prints, throws and fails to load. Every list is bounded: the page decides what is in them. */
export class Observer {
  readonly console: ConsoleMessage[] = [];
  readonly errors: PageError[] = [];
  readonly failedRequests: FailedRequest[] = [];
  readonly notes: string[] = [];
  /** How many console messages there were, including those left out. */
  messages = 0;
  /** Where the tab is now. */
  url = '';
  private documentUrl = '';
  private navigations = 0;
  /** The browser's id of the page itself, not of a frame in it. */
  private frame: unknown;
  private readonly open = new Map<string, string>();
  /** The failed requests whose response has not been read, by the browser's id. */
  private readonly unread = new Map<string, FailedRequest>();
  /** The scripts in the page's own document, by the browser's id. */
  private readonly ownScripts = new Set<unknown>();
  /** When the last request began or ended. */
  changedAt = Date.now();
  private readonly handlers: Record<string, (params: Params) => void> = {
    'Runtime.consoleAPICalled': ({ type, args, stackTrace }) =>
      this.addMessage(readText(type), sayArguments(args), this.findLine(stackTrace)),
    'Log.entryAdded': ({ entry }) => this.addEntry(readObject(entry)),
    'Runtime.exceptionThrown': ({ exceptionDetails }) => this.addException(readObject(exceptionDetails)),
    'Debugger.scriptParsed': ({ scriptId, url }) => {
      if (this.isOwn(url) && this.ownScripts.size < MAX_SCRIPTS) this.ownScripts.add(scriptId);
    },
    'Page.frameNavigated': ({ frame }) => this.addNavigation(readObject(frame)),
    'Page.navigatedWithinDocument': ({ frameId, url }) => {
      if (frameId === this.frame) this.url = readText(url, MAX_URL);
    },
    'Network.requestWillBeSent': (params) => this.beginRequest(params),
    'Network.responseReceived': (params) => this.addResponse(params),
    'Network.loadingFinished': (params) => void this.endRequest(params),
    'Network.loadingFailed': (params) => this.addFailure(params),
  };

  /** The ids of requests that failed and whose response may have a text. */
  get unreadFailures(): string[] {
    return [...this.unread.keys()];
  }

  /** Adds the text of the response to a request that failed. */
  addResponseText(id: string, { body, base64Encoded }: Params): void {
    const failed = this.unread.get(id);
    this.unread.delete(id);
    const text = base64Encoded === true ? '' : readText(body, MAX_RESPONSE_TEXT);
    if (failed && text !== '') failed.text = text;
  }

  /** The number of requests that have not ended. */
  get openRequests(): number {
    return this.open.size;
  }

  note(sentence: string): void {
    if (this.notes.length < MAX_NOTES && !this.notes.includes(sentence)) this.notes.push(sentence);
  }

  /** Adds an error of ours: why the page could not be shown. */
  fail(message: string, line?: number): void {
    if (this.errors.length < MAX_PAGE_ERRORS)
      this.errors.push({ message, ...(line !== undefined && { line }) });
  }

  /** The line where the debugger has paused the page's own code. */
  lineOfPause(paused: unknown): number | undefined {
    const places = readList(readObject(paused).callFrames).map(({ location }) => readObject(location));
    const line = readNumber(places.find(({ scriptId }) => this.ownScripts.has(scriptId))?.lineNumber);
    return line === undefined ? undefined : line + 1;
  }

  /** Handles an event of the page. */
  event(method: string, params: Params): void {
    this.handlers[method]?.(params);
  }

  private addMessage(type: string, text: string, line: number | undefined): void {
    this.messages++;
    if (this.console.length >= MAX_CONSOLE_MESSAGES) {
      this.note(`The page printed more than ${MAX_CONSOLE_MESSAGES} messages. The rest is left out.`);
      return;
    }
    this.console.push({ level: LEVELS[type] ?? 'log', text, ...(line !== undefined && { line }) });
  }

  /** What the browser itself says about the page, except for requests, which are listed on their own. */
  private addEntry(entry: Params): void {
    const text = readText(entry.text);
    // The GL Driver message is about how we draw, not about the page.
    if (text.startsWith('Failed to load resource') || text.includes('GL Driver Message')) return;
    const line = this.isOwn(entry.url) ? readNumber(entry.lineNumber) : undefined;
    this.addMessage(readText(entry.level), text, line === undefined ? undefined : line + 1);
  }

  private addException(details: Params): void {
    if (this.errors.length >= MAX_PAGE_ERRORS) {
      this.note(`The page threw more than ${MAX_PAGE_ERRORS} errors. The rest is left out.`);
      return;
    }
    const exception = readObject(details.exception);
    const description = readText(exception.description) || sayArguments([exception]);
    const [first = ''] = description.split('\n');
    const frame = this.ownFrame(details.stackTrace);
    const at = frame ?? (this.isOwn(details.url) ? details : undefined);
    const [line, column] = [readNumber(at?.lineNumber), readNumber(at?.columnNumber)];
    const prefix = readText(details.text).includes('(in promise)') ? 'Unhandled rejection: ' : '';
    this.errors.push({
      message: `${prefix}${first || readText(details.text)}`,
      ...(line !== undefined && { line: line + 1 }),
      ...(column !== undefined && { column: column + 1 }),
      ...(description.includes('\n') && { stack: description }),
    });
  }

  private addNavigation(frame: Params): void {
    if (frame.parentId !== undefined) return;
    this.frame = frame.id;
    this.url = readText(frame.url, MAX_URL);
    const url = readUrl(frame.url);
    if (url === 'about:blank') return;
    this.navigations++;
    if (this.navigations === 1) this.documentUrl = this.url.split('#')[0] ?? '';
    else this.note(`The page navigated to ${url}.`);
  }

  private beginRequest(params: Params): void {
    const request = readObject(params.request);
    const type = readText(params.type);
    if (STREAMS.includes(type) || this.open.size >= MAX_OPEN_REQUESTS) return;
    this.open.set(readText(params.requestId), readUrl(request.url));
    this.changedAt = Date.now();
  }

  private endRequest(params: Params): string | undefined {
    const id = readText(params.requestId);
    const url = this.open.get(id);
    if (this.open.delete(id)) this.changedAt = Date.now();
    return url;
  }

  private addResponse(params: Params): void {
    const response = readObject(params.response);
    const type = readText(params.type);
    if (SCRIPTED.includes(type)) this.endRequest(params);
    const status = readNumber(response.status) ?? 0;
    const url = readUrl(response.url);
    // The browser asks for an icon on its own.
    if (status < 400 || (type === 'Other' && URL.parse(url)?.pathname === '/favicon.ico')) return;
    const isNeverSent = EGRESS_HEADERS.neverSent in readObject(response.headers);
    const failed: FailedRequest = isNeverSent ? { url, status: 0, reason: NOT_REACHED } : { url, status };
    if (this.addFailedRequest(failed) && !isNeverSent) this.unread.set(readText(params.requestId), failed);
  }

  private addFailure(params: Params): void {
    const url = this.endRequest(params);
    if (params.canceled === true || url === undefined) return;
    const error = readText(params.errorText);
    const blocked = readText(params.blockedReason);
    const isNeverSent = error === 'net::ERR_TUNNEL_CONNECTION_FAILED';
    const reason = isNeverSent ? NOT_REACHED : blocked ? `blocked: ${blocked}` : error;
    this.addFailedRequest({ url, status: 0, reason });
  }

  /** Returns whether there was room for it. */
  private addFailedRequest(request: FailedRequest): boolean {
    const hasRoom = this.failedRequests.length < MAX_FAILED_REQUESTS;
    if (hasRoom) this.failedRequests.push(request);
    else this.note(`More than ${MAX_FAILED_REQUESTS} requests failed. The rest is left out.`);
    return hasRoom;
  }

  private findLine(stack: unknown): number | undefined {
    const line = readNumber(this.ownFrame(stack)?.lineNumber);
    return line === undefined ? undefined : line + 1;
  }

  /** The innermost call in the page's own document. The SDK is in another file, so it does not shift lines. */
  private ownFrame(stack: unknown): Params | undefined {
    const frames = readList(readObject(stack).callFrames);
    return frames.find(({ url }) => this.isOwn(url));
  }

  private isOwn(url: unknown): boolean {
    return typeof url === 'string' && url.split('#')[0] === this.documentUrl;
  }
}
