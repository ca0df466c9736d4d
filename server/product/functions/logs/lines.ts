import { EXCEPTION_LINE, readTraceMark } from '../../../../workers/protocol.ts';
import { EGRESS_LINE } from '../../../runtime/egress/index.ts';

const MAX_MESSAGE_CHARACTERS = 8_000;

/**
 * Console output is one JSON object per line, and lines of the egress have a mark. Other output of workerd is
 * not logged.
 */
export function isEntry(line: string): boolean {
  return line.startsWith('{"timestamp":') || line.startsWith(EGRESS_LINE);
}

export interface Line {
  kind: 'console' | 'exception' | 'system';
  level: string;
  message: string;
  /** The traced call that printed the line. */
  trace?: string;
  /** True if the line only says that the call is over. */
  isEnd?: boolean;
}

/** The entry in a line, if it is one for the owner. `knowsTrace` tells the ids of traces from texts that look like one. */
export function parseLine(line: string, knowsTrace: (id: string) => boolean): Line | undefined {
  if (line.startsWith(EGRESS_LINE))
    return { kind: 'system', level: 'warn', message: line.slice(EGRESS_LINE.length) };
  try {
    const { level, message, source } = JSON.parse(line) as {
      level?: unknown;
      message?: unknown;
      source?: unknown;
    };
    if (typeof level !== 'string' || typeof message !== 'string') return undefined;
    if (source !== undefined && level !== 'error') return undefined;
    const marked = readTraceMark(message);
    if (marked && knowsTrace(marked.trace))
      return { ...toLine(level, marked.rest, source), trace: marked.trace, isEnd: marked.isEnd };
    return toLine(level, message, source);
  } catch {
    // The line was cut because of its length, so it is not valid JSON.
    return { kind: 'console', level: 'log', message: line.slice(0, MAX_MESSAGE_CHARACTERS) };
  }
}

function toLine(level: string, message: string, source: unknown): Line {
  if (message.startsWith(EXCEPTION_LINE))
    return { kind: 'exception', level, message: message.slice(EXCEPTION_LINE.length) };
  if (source === undefined) return { kind: 'console', level, message };
  // workerd's own stack has addresses and paths of this machine, which owners must not see.
  return { kind: 'exception', level, message: message.replace(/(^|[\s;])stack:.*/s, '') };
}

/** A message that every database can store. */
export function toStorable(message: string): string {
  return message.slice(0, MAX_MESSAGE_CHARACTERS).toWellFormed().replaceAll('\0', '\ufffd');
}
