import type { Environment } from '../environment.ts';
import { colours, type Paint, printable, printableInColours } from './colours.ts';
import { createProgress, type Progress } from './progress.ts';

/** The output of a command: results on standard output, everything else on standard error. */
export interface Output {
  isJson: boolean;
  /** Colours for standard output and standard error. */
  paint: Paint;
  paintError: Paint;
  /** The result: the value with `--json`, otherwise the text. */
  result(value: unknown, text: string): void;
  /** A confirmation: like a result, but not printed with `--quiet`. */
  done(value: unknown, text: string): void;
  /** One item of a stream of results. */
  item(value: unknown, text: string): void;
  /** Raw bytes; escaped if standard output is a terminal. */
  raw(bytes: string | Uint8Array): Promise<void>;
  /** A note for people. */
  note(text: string): void;
  /** An error; always printed. */
  error(text: string): void;
  /** A progress bar, if standard error is a terminal. */
  progress(label: string, total: number | undefined): Progress;
  /** True if something was written to standard output. */
  readonly hasWritten: boolean;
}

export function createOutput(
  options: { isJson: boolean; isQuiet: boolean },
  environment: Environment,
): Output {
  const { isJson, isQuiet } = options;
  const isSeen = process.stdout.isTTY === true;
  const hasColours = (stream: { isTTY?: boolean }) => stream.isTTY === true && !environment.NO_COLOR;
  // Much of the output comes from other people. Escape it here, so it cannot control the terminal.
  const clean = (text: string, stream: { isTTY?: boolean }) =>
    hasColours(stream) ? printableInColours(text) : printable(text);
  const say = (text: string) => void process.stderr.write(`${clean(text, process.stderr)}\n`);
  const decoder = new TextDecoder();
  let hasWritten = false;
  const write = (text: string) => {
    hasWritten = true;
    process.stdout.write(text);
  };
  const print = (text: string) => {
    if (text !== '') write(text.endsWith('\n') ? text : `${text}\n`);
  };
  const json = (value: unknown) => (isSeen ? printable(JSON.stringify(value)) : JSON.stringify(value));
  const show = (value: unknown, text: string) => print(isJson ? json(value) : clean(text, process.stdout));
  return {
    isJson,
    paint: colours(hasColours(process.stdout)),
    paintError: colours(hasColours(process.stderr)),
    result: show,
    done(value, text) {
      if (isJson || !isQuiet) show(value, text);
    },
    item: show,
    async raw(bytes) {
      hasWritten = true;
      const text = () => (typeof bytes === 'string' ? bytes : decoder.decode(bytes, { stream: true }));
      const shown = isSeen ? printable(text()) : bytes;
      if (!process.stdout.write(shown)) await new Promise((resolve) => process.stdout.once('drain', resolve));
    },
    note(text) {
      if (!isQuiet) say(text);
    },
    error: say,
    progress: (label, total) =>
      createProgress(label, total, process.stderr.isTTY === true && !isQuiet ? process.stderr : undefined),
    get hasWritten() {
      return hasWritten;
    },
  };
}
