import { afterEach, beforeEach, expect, test } from 'bun:test';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openControlGroups } from './control-groups.ts';

/** A folder with the files of a control group. */
let root: string;
const put = (path: string, text: string) => writeFileSync(join(root, path), text);
const get = (path: string) => readFileSync(join(root, path), 'utf8');
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'quire-groups-'));
  mkdirSync(join(root, 'unit'));
  put('unit/cgroup.controllers', 'cpu memory pids\n');
  put('unit/cgroup.procs', `${process.pid}\n`);
});
afterEach(() => rmSync(root, { recursive: true }));

test('creates a group with a memory limit for each cell, below its own', () => {
  const group = openControlGroups(root, '/unit')?.add('cell-1', 4711, 512);
  const folder = `unit/quire-cell-${process.pid}-cell-1`;
  expect(get('unit/quire-server/cgroup.procs')).toBe(String(process.pid));
  expect(get('unit/cgroup.subtree_control')).toBe('+memory');
  expect([get(`${folder}/memory.max`), get(`${folder}/cgroup.procs`)]).toEqual(['512', '4711']);
  for (const [count, wasKilled] of [
    [0, false],
    [1, true],
    [12, true],
  ] as const) {
    put(`${folder}/memory.events`, `low 0\nhigh 0\nmax 3\noom 1\noom_kill ${count}\noom_group_kill 0\n`);
    expect(group?.wasKilled()).toBe(wasKilled);
  }
});

test('stays in its own group after a restart, and removes leftover groups', () => {
  mkdirSync(join(root, 'unit/quire-server'));
  mkdirSync(join(root, 'unit/quire-cell-1-cell-9'));
  expect(openControlGroups(root, '/unit/quire-server')).toBeDefined();
  expect(existsSync(join(root, 'unit/quire-cell-1-cell-9'))).toBe(false);
});

test.each([
  ['its group contains processes of others', () => put('unit/cgroup.procs', `1\n${process.pid}\n`)],
  ['it cannot control memory', () => put('unit/cgroup.controllers', 'cpu pids\n')],
  ['there are no control groups', () => rmSync(join(root, 'unit/cgroup.controllers'))],
])('changes nothing if %s', (_, arrange) => {
  arrange();
  const before = readdirSync(join(root, 'unit'));
  expect(openControlGroups(root, '/unit')).toBeUndefined();
  expect(readdirSync(join(root, 'unit'))).toEqual(before);
});
