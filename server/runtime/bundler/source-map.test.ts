import { expect, test } from 'bun:test';
import { encode } from '@jridgewell/sourcemap-codec';
import { finishOutput, MAX_MAP_BYTES, mapStacks } from './source-map.ts';

const ALL = Number.POSITIVE_INFINITY;

/** What the compiler prints, with a map that the code itself can have come with. */
function outputWith(sources: string[], mappings: string): Uint8Array {
  const map = Buffer.from(JSON.stringify({ version: 3, sources, names: [], mappings })).toString('base64');
  return Buffer.from(`throw 1;\n//# sourceMappingURL=data:application/json;base64,${map}`);
}

test('a source with an endless name does not make the log endless', () => {
  const { sourceMap } = finishOutput(outputWith([`source/${'x'.repeat(1_000_000)}`], 'AAAA'), [], ALL);
  const stack = 'at function.js:1:1\n'.repeat(1_000);
  const [mapped = ''] = mapStacks(sourceMap ?? '', [stack]);
  expect(mapped).toStartWith('at xxx');
  expect(mapped.length).toBeLessThan(60_000);
});

/** A map of one line, with so many places in a file that claims to be the owner's. */
const places = (count: number) =>
  encode([
    Array.from({ length: count }, (_, index): [number, number, number, number] => [index, 0, 0, index]),
  ]);

test('a map that is too large is left out', () => {
  // Each place has five letters: its comma and four numbers.
  const most = Math.floor((MAX_MAP_BYTES - 100) / 5);
  expect(finishOutput(outputWith(['source/a.ts'], places(most)), [], ALL).sourceMap).not.toBeNull();
  expect(finishOutput(outputWith(['source/a.ts'], places(most + 100)), [], ALL).sourceMap).toBeNull();
});

test('the map of a bundle that is too large is not read', () => {
  const output = outputWith(['source/a.ts'], 'AAAA');
  const { length } = 'throw 1;\n';
  expect(finishOutput(output, [], length).sourceMap).not.toBeNull();
  expect(finishOutput(output, [], length - 1).sourceMap).toBeNull();
});
