import { expect } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { environment } from '../environment.ts';

/**
 * Runs the commands of `docs/operating.md` as they are written. Only names and paths, the user and the service manager are
 * others, and what asks systemd about the machine reads the log of the server.
 */

export const GUIDE = readFileSync(join(import.meta.dir, '../../../docs/operating.md'), 'utf8');
/** The sections that need two versions. `upgrade.test.ts` runs them. */
export const WITH_VERSIONS = ['Install', 'Upgrade'];
/** What no test runs, and why. */
const NOT_RUN: ReadonlyArray<[start: string, why: string]> = [
  ['systemctl status', 'there is no systemd'],
  ['systemctl daemon-reload', 'there is no systemd'],
  ['timedatectl', 'asks systemd'],
  ['apt-get', 'installs packages on the machine'],
  ['useradd', 'adds a user to the machine'],
];

interface Machine {
  /** The folder in which commands run. */
  folder: string;
  /** What is called otherwise here. */
  names: Array<[there: string, here: string]>;
  /** A command prefix that runs commands on this machine. */
  within?: string[];
  env?: Record<string, string>;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** What the server has printed. */
  readLog(): string;
}

/** What was run, by any machine of this process. */
interface Done {
  blocks: Set<string>;
  commands: Set<string>;
  /** Commands that start and stop the service: the server does. */
  services: Set<string>;
  skipped: Set<string>;
}

export class Guide {
  readonly done: Done;

  constructor(
    private readonly machine: Machine,
    /** Another machine of the same story. */
    other?: Guide,
  ) {
    this.done = other?.done ?? newRecord();
  }

  async runSection(title: string): Promise<string> {
    let output = '';
    for (const block of blocksIn(title)) output += await this.runBlock(block);
    return output;
  }

  async runBlock(lines: string[]): Promise<string> {
    let output = '';
    for (const line of lines) {
      const [, verb] = /^systemctl (restart|start|stop|enable --now) quire$/.exec(line) ?? [];
      const { commands, services, skipped } = this.done;
      if (verb) {
        services.add(line);
        if (verb === 'restart' || verb === 'stop') await this.machine.stop();
        if (verb !== 'stop') await this.machine.start();
      } else if (NOT_RUN.some(([start]) => line.startsWith(start))) skipped.add(line);
      else {
        commands.add(line);
        output += await this.#runLine(line);
      }
    }
    this.done.blocks.add(lines.join('\n'));
    return output;
  }

  /** The commands of a section that were not run, with all of a block of which not everything was. */
  listLeft(title: string): string[] {
    const { blocks } = this.done;
    return blocksIn(title).flatMap((lines) => (blocks.has(lines.join('\n')) ? [] : lines));
  }

  async #runLine(line: string): Promise<string> {
    const { folder, names, readLog, within = [], env } = this.machine;
    await Bun.write(join(folder, 'log'), readLog());
    let here = line
      .replace(/^journalctl [^|]*/, `cat ${join(folder, 'log')} `)
      .replace(/runuser -u (quire|postgres) -- /, '')
      .replace(' -o quire', '')
      .replace(' -g quire', '')
      .replace('chgrp quire ', 'chgrp "$(id -g)" ');
    for (const [from, to] of names) here = here.replaceAll(from, to);
    const child = Bun.spawn([...within, 'sh', '-c', here], {
      cwd: folder,
      env: { ...environment, ...env },
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

const newRecord = (): Done => ({
  blocks: new Set(),
  commands: new Set(),
  services: new Set(),
  skipped: new Set(),
});

/** The commands of a section, by block. */
export function blocksIn(title: string): string[][] {
  const section = new RegExp(`^## ${title}\n([\\s\\S]*?)(?=^## |$(?![\\s\\S]))`, 'm');
  const [, text = ''] = section.exec(GUIDE) ?? [];
  return [...text.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, lines = '']) =>
    lines
      .trim()
      .replace(/(\\|\|\|)\n\s*/g, (_, end) => (end === '||' ? '|| ' : ''))
      .split('\n'),
  );
}

/** The titles of the sections that have commands. */
export const SECTIONS = GUIDE.split(/^## /m)
  .filter((section) => section.includes('```sh'))
  .map((section) => section.split('\n')[0] ?? '');
