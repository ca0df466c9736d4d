/**
 * Names the inline scripts of a document. The preview writes the document, and browsers count the lines of such scripts
 * from the start of each, so a name is needed to find the line of an error in the document.
 */

/** Where the text of an inline script starts in its document. Lines and columns start at 1. */
export interface ScriptStart {
  line: number;
  column: number;
}

/** Also in preview.client.js. */
const toScriptName = (index: number) => `quire-preview-script-${index}`;

/** Comments and texts come first, so that a script inside them is not taken for one. */
const PARTS =
  /<!--[\s\S]*?-->|<(textarea|title|style|template)\b[^>]*>[\s\S]*?<\/\1\s*>|(<script\b[^>]*>)([\s\S]*?)(?=<\/script)/gi;
const NOT_RUN = /\ssrc\s*=|\stype\s*=\s*["']?(?!module\b|text\/javascript|application\/javascript|["'\s>])/i;

export function nameScripts(html: string): { html: string; scripts: ScriptStart[] } {
  const scripts: ScriptStart[] = [];
  const named = html.replace(
    PARTS,
    (all: string, _inside: string | undefined, tag: string | undefined, text: string, at: number) => {
      if (tag === undefined || NOT_RUN.test(tag)) return all;
      scripts.push(positionAt(html, at + tag.length));
      return `${tag}${text}\n//# sourceURL=${toScriptName(scripts.length - 1)}\n`;
    },
  );
  return { html: named, scripts };
}

function positionAt(text: string, at: number): ScriptStart {
  // Only the preview has the marks of elements.
  const before = text.slice(0, at).replace(/ data-quire-at="\d+"/g, '');
  return { line: before.split('\n').length, column: before.length - before.lastIndexOf('\n') };
}

/** The place in the document of a place in one of its scripts. */
export function placeInDocument(
  start: ScriptStart,
  line: number,
  column: number | undefined,
): { line: number; column?: number } {
  const inLine = column !== undefined && { column: line === 1 ? start.column + column - 1 : column };
  return { line: start.line + line - 1, ...inLine };
}
