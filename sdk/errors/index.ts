import { jsonInit } from '../api.ts';
import type { Heard } from './listen.ts';
import type { Recorder } from './steps.ts';

/** Loaded only if a script of the page fails: tells the owner of the page. */

const MAX_REPORTS = 5;
const MAX_MESSAGE = 500;
const MAX_STACK = 1_500;
/** The query of a URL, which can contain secrets. */
const QUERY = /[?#][^\s:)]*/g;

const script = document.currentScript as HTMLScriptElement & {
  heard: Heard;
  /** On pages whose errors are repaired. */
  steps: Recorder | false;
};
const url = `${script.dataset.url}/errors`;
const { steps } = script;
const reported = new Set<string>();

/** Reports each error once, and only the first few after the page has loaded. */
function report(event: Heard[number]): void {
  const found = event instanceof ErrorEvent ? ofException(event) : ofRejection(event);
  const message = found.message.replace(QUERY, '').slice(0, MAX_MESSAGE);
  const key = [message, found.source, found.line].join();
  if (reported.size >= MAX_REPORTS || reported.has(key)) return;
  reported.add(key);
  const stack = found.stack?.replace(QUERY, '').slice(0, MAX_STACK);
  const visit = steps && {
    url: location.href.replace(QUERY, '').slice(0, MAX_MESSAGE),
    width: innerWidth,
    steps: steps.read?.(event.timeStamp) ?? [],
  };
  // The report must arrive even if the visitor leaves, and nobody waits for it.
  fetch(url, {
    ...jsonInit('POST', { ...found, message, stack, ...(visit && { visit }) }),
    keepalive: true,
  }).catch(() => {});
}

interface CaughtError {
  message: string;
  stack: string | undefined;
  source?: string;
  line?: number;
  column?: number;
}

function ofException({ message, error, filename, lineno, colno }: ErrorEvent): CaughtError {
  const source = filename.replace(QUERY, '').slice(0, MAX_MESSAGE);
  return { message, stack: readStack(error), ...(source && { source, line: lineno, column: colno }) };
}

function ofRejection({ reason }: PromiseRejectionEvent): CaughtError {
  return { message: `Unhandled rejection: ${reason?.message ?? String(reason)}`, stack: readStack(reason) };
}

function readStack(thrown: unknown): string | undefined {
  const stack = (thrown as Error | undefined)?.stack;
  return typeof stack === 'string' ? stack : undefined;
}

addEventListener('error', report);
addEventListener('unhandledrejection', report);
for (const event of script.heard) report(event);
