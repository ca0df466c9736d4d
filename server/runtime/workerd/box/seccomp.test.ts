import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createRuntime, type Runtime } from '../runtime.ts';
import { launch } from './sandbox.ts';
import { systemCallFilter } from './seccomp.ts';
import { spawnBoxed } from './spawn-boxed.ts';
import { DENIED, LOOKED_AT, NONE } from './system-calls.ts';

const ALLOW = 'allow';
const EPERM = 'fails with 1';
const ENOSYS = 'fails with 38';
const KILL = 'kill';

const AUDIT = { x64: 0xc000_003e, arm64: 0xc000_00b7 };
const I386 = 0x4000_0003;
const ARCHES = ['x64', 'arm64'] as const;

/** The result of a system call: runs the filter like the kernel. */
function judge(filter: Uint8Array, call: { arch: number; nr: number; args?: number[] }): string {
  const data = new DataView(new ArrayBuffer(64));
  data.setUint32(0, call.nr, true);
  data.setUint32(4, call.arch, true);
  for (const [index, value] of (call.args ?? []).entries()) data.setUint32(16 + 8 * index, value, true);
  const program = new DataView(filter.buffer);
  let loaded = 0;
  for (let at = 0; at < filter.length; at += 8) {
    const [code, value] = [program.getUint16(at, true), program.getUint32(at + 4, true)];
    const jump = (isTrue: boolean) => {
      at += 8 * program.getUint8(at + (isTrue ? 2 : 3));
    };
    if (code === 0x20) loaded = data.getUint32(value, true);
    else if (code === 0x15) jump(loaded === value);
    else if (code === 0x35) jump(loaded >= value);
    else if (code === 0x45) jump((loaded & value) !== 0);
    else if (value === 0x7fff_0000) return ALLOW;
    else if (value === 0x8000_0000) return KILL;
    else return `fails with ${value - 0x0005_0000}`;
  }
  throw new Error('the filter has no end');
}

describe.each(ARCHES)('the filter for %s', (arch) => {
  const column = arch === 'x64' ? 0 : 1;
  const filterFor = (hasNetwork: boolean) =>
    systemCallFilter({ hasNetwork }, arch) ?? expect.unreachable('no filter');
  const ask = (name: keyof typeof LOOKED_AT, args: number[], hasNetwork = false) =>
    judge(filterFor(hasNetwork), { arch: AUDIT[arch], nr: LOOKED_AT[name][column], args });

  test('denies each call on the list, and no other', () => {
    const denied = new Set(Object.values(DENIED).map((numbers) => numbers[column]));
    denied.delete(NONE);
    const others = new Set(Object.values(LOOKED_AT).map((numbers) => numbers[column]));
    for (let nr = 0; nr < 500; nr++) {
      if (others.has(nr)) continue;
      expect([nr, judge(filterFor(true), { arch: AUDIT[arch], nr })]).toEqual([
        nr,
        denied.has(nr) ? EPERM : ALLOW,
      ]);
    }
  });

  test('kills a process that uses the calls of another architecture', () => {
    const other = arch === 'x64' ? 'arm64' : 'x64';
    for (const audit of [AUDIT[other], I386])
      expect(judge(filterFor(true), { arch: audit, nr: 1 })).toBe(KILL);
  });

  test('allows new threads and processes, but no namespaces', () => {
    const THREAD = 0x003d_0f00;
    expect([ask('clone', [THREAD]), ask('clone', [17]), ask('clone3', [0])]).toEqual([ALLOW, ALLOW, ENOSYS]);
    for (const flag of [
      0x0002_0000, 0x0200_0000, 0x0400_0000, 0x0800_0000, 0x1000_0000, 0x2000_0000, 0x4000_0000,
    ])
      expect(ask('clone', [flag | 17])).toBe(EPERM);
  });

  test('allows only the socket families that a sandbox needs', () => {
    const answers = (hasNetwork: boolean) =>
      [1, 2, 10, 16, 17, 38, 40].map((family) => ask('socket', [family], hasNetwork));
    expect(answers(false)).toEqual([ALLOW, EPERM, EPERM, EPERM, EPERM, EPERM, EPERM]);
    expect(answers(true)).toEqual([ALLOW, ALLOW, ALLOW, EPERM, EPERM, EPERM, EPERM]);
    expect([ask('socketpair', [1]), ask('socketpair', [2], true)]).toEqual([ALLOW, EPERM]);
  });

  test('denies typing into a terminal, and changing how programs are loaded', () => {
    expect([ask('ioctl', [0, 0x5401]), ask('ioctl', [0, 0x5412]), ask('ioctl', [0, 0x541c])]).toEqual([
      ALLOW,
      EPERM,
      EPERM,
    ]);
    expect(
      [0, 0xffff_ffff, 0x0004_0000, 0x0400_0000].map((persona) => ask('personality', [persona])),
    ).toEqual([ALLOW, ALLOW, EPERM, EPERM]);
  });
});

test('calls of x32 are denied on x86-64', () => {
  const filter = systemCallFilter({ hasNetwork: true }, 'x64') ?? expect.unreachable();
  expect(judge(filter, { arch: AUDIT.x64, nr: 0x4000_0000 })).toBe(EPERM);
  expect(judge(filter, { arch: AUDIT.x64, nr: 0x4000_0000 + 520 })).toBe(EPERM);
});

describe('in a sandbox', () => {
  let runtime: Runtime;
  beforeAll(async () => {
    runtime = await createRuntime(`seccomp test ${process.pid}`, 'auto');
  });
  afterAll(() => runtime.stop());

  let runs = 0;
  const column = process.arch === 'x64' ? 0 : 1;
  const PERL = ['/usr', '/bin', '/lib', '/lib64'];

  /** Makes system calls in a sandbox, and returns the error of each, or 0. */
  async function errnos(calls: number[][], hasFilter = true): Promise<number[]> {
    const perl = { ...runtime.sandbox, binary: '/usr/bin/perl' };
    const sandbox = hasFilter ? perl : { ...perl, filters: undefined };
    const user = runtime.sandbox.users?.next();
    const folder = runtime.makeFolder(`calls-${++runs}`, user);
    const box = {
      kind: 'functions' as const,
      user,
      writable: [],
      readOnly: [...PERL, folder]
        .filter((path) => existsSync(path))
        .map((path): [string, string] => [path, path]),
    };
    const lines = calls.map((call) => `$! = 0; syscall(${call.join(', ')}) == -1 ? $! + 0 : 0`);
    const script = `$| = 1; ${lines.map((line) => `print +(do { ${line} }), "\\n";`).join(' ')}`;
    runtime.writeFile(join(folder, 'calls.pl'), script, user);
    const child = spawnBoxed(launch(sandbox, box, [join(folder, 'calls.pl')]), {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      output += chunk;
    });
    await once(child, 'close');
    return output.trim().split('\n').map(Number);
  }

  const nr = (name: string) => (DENIED[name] ?? LOOKED_AT[name as keyof typeof LOOKED_AT])[column];

  test('the kernel refuses what the filter denies', async () => {
    if (runtime.sandbox.levels.functions !== 'bwrap') return;
    const calls = Object.keys(DENIED)
      .filter((name) => nr(name) !== NONE)
      .map((name) => [nr(name), 0, 0, 0, 0, 0]);
    expect(await errnos(calls)).toEqual(calls.map(() => 1));
  });

  test('the filter denies what nothing else denies', async () => {
    if (runtime.sandbox.levels.functions !== 'bwrap') return;
    const [AF_UNIX, AF_INET, AF_NETLINK, STREAM] = [1, 2, 16, 1];
    const calls = [
      [nr('ptrace'), 0, 0, 0, 0],
      [nr('unshare'), 0],
      [nr('personality'), 0x0004_0000],
      [nr('socket'), AF_INET, STREAM, 0],
      [nr('socket'), AF_NETLINK, 3, 0],
      [nr('socket'), AF_UNIX, STREAM, 0],
    ];
    expect(await errnos(calls)).toEqual([1, 1, 1, 1, 1, 0]);
    expect(await errnos(calls, false)).toEqual([0, 0, 0, 0, 0, 0]);
  });

  test('namespaces cannot be created, even without the filter', async () => {
    const { levels, canForbidNamespaces } = runtime.sandbox;
    if (levels.functions !== 'bwrap' || !canForbidNamespaces) return;
    const NEW_USER = 0x1000_0000;
    const ENOSPC = 28;
    expect(await errnos([[nr('unshare'), NEW_USER]], false)).toEqual([ENOSPC]);
  });
});
