import { type Place, positionOf } from '../terminal/source-fault.ts';

/** Scripts that browsers run as JavaScript. */
const JAVASCRIPT = /^(|module|(text|application)\/(javascript|ecmascript))$/i;

/** Syntax errors in the scripts of a document, which a browser would only report in its console. */
export function scriptFaults(file: string, html: string): Array<{ message: string; place: Place }> {
  const faults: Array<{ message: string; place: Place }> = [];
  for (const found of html.matchAll(/<script\b([^>]*)>([\s\S]*?)<\/script\s*>/gi)) {
    const [whole, attributes = '', script = ''] = found;
    const type = /\btype\s*=\s*["']?([^"'\s>]*)/i.exec(attributes)?.[1] ?? '';
    if (/\bsrc\s*=/i.test(attributes) || !JAVASCRIPT.test(type)) continue;
    const fault = faultOf(script);
    if (!fault) continue;
    const start = positionOf(html, (found.index ?? 0) + whole.indexOf('>', attributes.length) + 1);
    const line = start.line + fault.line - 1;
    const column = fault.line === 1 ? start.column + fault.column - 1 : fault.column;
    faults.push({ message: fault.message, place: { file, text: html, line, column } });
  }
  return faults;
}

function faultOf(script: string): { message: string; line: number; column: number } | undefined {
  try {
    new Bun.Transpiler({ loader: 'js' }).transformSync(script);
    return undefined;
  } catch (error) {
    const [first] = error instanceof AggregateError ? error.errors : [error];
    const { message, position } = first as BuildMessage;
    return position ? { message, line: position.line, column: position.column } : undefined;
  }
}
