import { expect, test } from 'bun:test';
import { nameAll } from './source-names.ts';

test('a call through a function of the page is listed as one with both', () => {
  const source =
    "const api = (action, data) => PageFunctions.call('shop', { action, ...data });\napi('add', { text: 'x' });";
  expect(nameAll(source)).toEndWith("\nPageFunctions.call('shop', { action: 'add',  text: 'x'  });");
});

test('what is added for calls through functions is limited', () => {
  const repeated = Array.from({ length: 30 }, () => '...d').join(',');
  const wrapper = `function a(action,d){PageFunctions.call('s',{action,${repeated}})}\n`;
  const source = wrapper.repeat(60) + `a('x',{b:'${'c'.repeat(1_900)}'})\n`.repeat(54);
  expect(source.length).toBeLessThan(128 * 1024);
  expect(nameAll(source).length).toBeLessThanOrEqual(source.length + 129 * 1024);
});
