import { expect, test } from 'bun:test';
import { withJsxRuntime } from './jsx.ts';

const MARKED = 'React';
const source = { code: '', files: {} };
/** Whether the module is found to have the function that JSX calls by default. */
const isBound = (text: string) => withJsxRuntime('x.tsx', text, source) === text;

test.each([
  `import ${MARKED} from 'react';`,
  `import * as ${MARKED} from 'react'`,
  `import {\n  useState,\n  ${MARKED}\n} from 'react'`,
  `const ${MARKED} = { createElement() {} };`,
  `const { a,\n b: ${MARKED} } = module`,
  `function ${MARKED}() {}`,
])('%j has it', (text) => {
  expect(isBound(text)).toBe(true);
});

test.each(['', `import x from 'react'; ${MARKED}.x`, `const ${MARKED}s = 1`, `let { a } = b; ${MARKED}`])(
  '%j lacks it',
  (text) => {
    expect(isBound(text)).toBe(false);
  },
);

test.each(['import React ', 'import ', 'let{', 'const {', 'var  ', 'React '])(
  'a megabyte of %j is read to its end',
  (text) => {
    withJsxRuntime('x.tsx', text.repeat((1024 * 1024) / text.length), source);
  },
);
