import type { PageWarning } from '../../contract/pages/warnings.ts';
import { printable } from '../terminal/colours.ts';
import type { Output } from '../terminal/output.ts';
import { showFault } from '../terminal/source-fault.ts';

/** Prints what the server says about a document, each with its line. */
export function printWarnings(out: Output, file: string, text: string, warnings: PageWarning[]): void {
  for (const { message, line, column = 1 } of warnings) {
    const said = `warning: ${printable(message)}`;
    out.error(
      line === undefined ? `${file}: ${said}` : showFault(said, { file, text, line, column }, out.paintError),
    );
  }
}
