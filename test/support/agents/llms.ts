import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { environment } from '../environment.ts';

/** Runs the steps of llms.txt exactly as written. */

/** A block of the text, its output according to the text, and its real output. */
export interface Step {
  script: string;
  stated: string;
  printed: string;
}

const BLOCK = /```sh\n([\s\S]*?)```\n```\w+\n([\s\S]*?)\n```/g;
const BETWEEN = '=== next ===';

/** Runs the blocks in order, unchanged, in one shell that has only a path and `settings`. */
export async function follow(text: string, settings: Record<string, string> = {}): Promise<Step[]> {
  const blocks = [...text.matchAll(BLOCK)].map(([, script = '', stated = '']) => ({ script, stated }));
  const whole = blocks.map(({ script }) => script).join(`printf '\\n%s\\n' '${BETWEEN}'\n`);
  const folder = mkdtempSync(join(tmpdir(), 'quire-llms-'));
  try {
    const shell = Bun.spawn(['bash', '-c', whole], {
      cwd: folder,
      env: { ...environment, ...settings },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: 60_000,
      killSignal: 'SIGKILL',
    });
    const [out, err] = await Promise.all([shell.stdout.text(), shell.stderr.text(), shell.exited]);
    if (err !== '') throw new Error(`the blocks complained: ${err}\n${out}`);
    const printed = out.split(BETWEEN);
    return blocks.map((block, at) => ({ ...block, printed: (printed[at] ?? '').trim() }));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The stated output as a pattern: `…` stands for what varies. */
export function toPattern(stated: string): RegExp {
  const parts = stated.split('…').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('[\\s\\S]*')}$`);
}
