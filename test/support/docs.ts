import { environment } from './environment.ts';

/** The commands in the documents of `docs/`, for tests that run them. */

export interface ShellBlock {
  command: string;
  /** The output according to the document, if it has any; `…` stands for anything. */
  printed?: string;
}

/** The `sh` blocks of a document, each with the `json` or `text` block right after it. */
export function shellBlocks(markdown: string): ShellBlock[] {
  const fences = /^```(\w+)\n(.*?)^```\n(?=(?:\n```(json|text)\n(.*?)^```\n)?)/gms;
  return [...markdown.matchAll(fences)]
    .filter(([, language]) => language === 'sh')
    .map(([, , command = '', , printed]) => ({
      command,
      ...(printed !== undefined && { printed: printed.trim() }),
    }));
}

/** True if the text has all parts of the pattern between its `…`, in order. */
export function matches(text: string, pattern: string): boolean {
  let at = 0;
  for (const part of pattern.split('…')) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return true;
}

/** Runs commands in one shell, and returns the output of each, up to the first that fails. */
export async function runInShell(
  commands: string[],
  folder: string,
): Promise<{ outputs: string[]; failure?: string }> {
  const end = (index: number) => `--- end of block ${index} ---`;
  const script = [
    'set -eu',
    // Without this, curl exits with 0 for an error status.
    'curl() { command curl --fail-with-body "$@"; }',
    ...commands.map((command, index) => `${command}\nprintf '\\n%s\\n' '${end(index)}'`),
  ].join('\n');
  const child = Bun.spawn(['sh', '-c', script], {
    cwd: folder,
    env: { ...environment, HOME: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [text, complaints, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  const outputs: string[] = [];
  let rest = text;
  for (const index of commands.keys()) {
    const [output = '', after] = rest.split(end(index));
    outputs.push(output.trim());
    if (after === undefined) break;
    rest = after;
  }
  return { outputs, ...(code !== 0 && { failure: `${outputs.at(-1)}\n${complaints}` }) };
}
