import type { PageWarning } from '../../contract/pages/warnings.ts';
import { type LeftOut, sayLeftOut } from '../project/files/left-out.ts';
import { printable } from '../terminal/colours.ts';
import type { Output } from '../terminal/output.ts';
import { showFault } from '../terminal/source-fault.ts';

/** Prints what the server says about a document, each with its line. */
export function printWarnings(out: Output, file: string, text: string, warnings: PageWarning[]): void {
  for (const { file: other, message, line, column = 1 } of warnings) {
    const said = `warning: ${printable(message)}`;
    if (other !== undefined) {
      out.error(`${printable(other)}${line === undefined ? '' : `:${line}:${column}`}: ${said}`);
      continue;
    }
    out.error(
      line === undefined ? `${file}: ${said}` : showFault(said, { file, text, line, column }, out.paintError),
    );
  }
}

/** Says which files of the folder were not sent, and why. */
export function printLeftOut(out: Output, left: LeftOut[]): void {
  const said = sayLeftOut(left);
  if (said !== undefined) out.note(`Not sent: ${said}`);
}
