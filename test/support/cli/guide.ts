import { expect } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { environment } from '../environment.ts';

/**
 * Runs the commands of `docs/operating.md` as they are written. Only names and paths, the user and the service manager are
 * others, and what asks systemd about the machine reads the log of the server.
 */

export const GUIDE = readFileSync(join(import.meta.dir, '../../../docs/operating.md'), 'utf8');
/** What changes the machine, or asks something that is not everywhere. */
const OF_THE_MACHINE =
  /^(systemctl (status|daemon-reload|enable --now)|timedatectl|apt-get|useradd|runuser -u postgres)\b/;

interface Machine {
  /** The folder in which commands run. */
  folder: string;
  /** What is called otherwise here. */
  names: Array<[there: string, here: string]>;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** What the server has printed. */
  readLog(): string;
}

export class Guide {
  /** How many blocks of commands each section has, of those that were run. */
  readonly ran = new Map<string, number>();

  constructor(private readonly machine: Machine) {}

  blocksIn(title: string): string[][] {
    const section = new RegExp(`^## ${title}\n([\\s\\S]*?)(?=^## |$(?![\\s\\S]))`, 'm');
    const [, text = ''] = section.exec(GUIDE) ?? [];
    const blocks = [...text.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, lines = '']) =>
      lines
        .trim()
        .replace(/(\\|\|\|)\n\s*/g, (_, end) => (end === '||' ? '|| ' : ''))
        .split('\n'),
    );
    this.ran.set(title, blocks.length);
    return blocks;
  }

  async runSection(title: string): Promise<string> {
    let output = '';
    for (const block of this.blocksIn(title)) output += await this.runBlock(block);
    return output;
  }

  async runBlock(lines: string[]): Promise<string> {
    let output = '';
    for (const line of lines) {
      const [, verb] = /^systemctl (restart|start|stop|enable --now) quire$/.exec(line) ?? [];
      if (verb) {
        if (verb === 'restart' || verb === 'stop') await this.machine.stop();
        if (verb !== 'stop') await this.machine.start();
      } else if (!OF_THE_MACHINE.test(line)) output += await this.#runLine(line);
    }
    return output;
  }

  async #runLine(line: string): Promise<string> {
    const { folder, names, readLog } = this.machine;
    await Bun.write(join(folder, 'log'), readLog());
    let here = line
      .replace(/^journalctl [^|]*/, `cat ${join(folder, 'log')} `)
      .replace('runuser -u quire -- ', '')
      .replace(' -o quire', '')
      .replace(' -g quire', '');
    for (const [from, to] of names) here = here.replaceAll(from, to);
    const child = Bun.spawn(['sh', '-c', here], {
      cwd: folder,
      env: environment,
      stdout: 'pipe',
      stderr: 'pipe',
    });
    const [stdout, stderr, code] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited,
    ]);
    // What is looked for may not be there.
    const isFine = code === 0 || (line.includes('| grep') && code === 1);
    expect([line, isFine ? '' : `${code}: ${stdout}${stderr}`]).toEqual([line, '']);
    return stdout + stderr;
  }
}
