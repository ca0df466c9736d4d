import { readFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import { ownArchitecture } from '../report/results.ts';

/**
 * Describes the machine, as far as figures depend on it: "2 cores (aarch64), 24 GiB, Debian 12, Bun 1.4.4, load 0.1".
 */
export function describeMachine(): string {
  const cores = cpus().length;
  const memoryGiB = Math.ceil(totalmem() / 1024 ** 3);
  return [
    `${cores} ${cores === 1 ? 'core' : 'cores'} (${ownArchitecture()})`,
    `${memoryGiB} GiB`,
    distribution(),
    `Bun ${Bun.version}`,
    // The load of the last minute before the start: how busy other programs keep the machine.
    `load ${loadavg()[0]?.toFixed(1)}`,
  ].join(', ');
}

function distribution(): string {
  const release = readFileSync('/etc/os-release', 'utf8');
  const field = (name: string) => new RegExp(`^${name}="?([^"\n]*)`, 'm').exec(release)?.[1] ?? '';
  return `${field('NAME').replace(' GNU/Linux', '')} ${field('VERSION_ID')}`.trim();
}
