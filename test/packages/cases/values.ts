import { evaluate, type PackageCase } from '../package-case.ts';

/** Validation, numbers, dates, lists and keys. */
export const VALUES: PackageCase[] = [
  evaluate(
    'zod',
    `import { z } from 'npm:zod@4';`,
    `z.object({ name: z.string() }).parse({ name: 'Ada', x: 1 })`,
    { name: 'Ada' },
  ),
  evaluate(
    'yup',
    `import * as yup from 'npm:yup@1';`,
    `await yup.object({ age: yup.number().required() }).validate({ age: '3' })`,
    { age: 3 },
  ),
  evaluate(
    'valibot',
    `import * as v from 'npm:valibot@1';`,
    `v.safeParse(v.pipe(v.string(), v.email()), 'no').success`,
    false,
  ),
  evaluate(
    'superstruct',
    `import { create, defaulted, object, string } from 'npm:superstruct@2';`,
    `create({}, object({ name: defaulted(string(), 'Ada') }))`,
    { name: 'Ada' },
  ),
  evaluate(
    'ajv',
    `import Ajv from 'npm:ajv@8'; const validate = new Ajv().compile({ type: 'object', required: ['a'] });`,
    `[validate({ a: 1 }), validate({})]`,
    [true, false],
  ),
  evaluate(
    'lodash',
    `import _ from 'npm:lodash@4';`,
    `_.groupBy([1, 2, 3], (n) => (n % 2 ? 'odd' : 'even'))`,
    { odd: [1, 3], even: [2] },
  ),
  evaluate('ramda', `import * as R from 'npm:ramda@0.31';`, `R.pipe(R.map(R.inc), R.sum)([1, 2])`, 5),
  evaluate(
    'rxjs',
    `import { from, lastValueFrom, scan } from 'npm:rxjs@7';`,
    `await lastValueFrom(from([1, 2, 3]).pipe(scan((a, b) => a + b)))`,
    6,
  ),
  evaluate(
    'immer',
    `import { produce } from 'npm:immer@10';`,
    `produce({ a: [1] }, (draft) => void draft.a.push(2))`,
    { a: [1, 2] },
  ),
  evaluate(
    'date-fns',
    `import { addDays, format } from 'npm:date-fns@4';`,
    `format(addDays(new Date(2026, 0, 31), 1), 'yyyy-MM-dd')`,
    '2026-02-01',
  ),
  evaluate(
    'dayjs',
    `import dayjs from 'npm:dayjs@1'; import utc from 'npm:dayjs@1/plugin/utc.js'; dayjs.extend(utc);`,
    `dayjs.utc('2026-01-31').add(1, 'month').format('YYYY-MM-DD')`,
    '2026-02-28',
  ),
  evaluate(
    'luxon',
    `import { DateTime } from 'npm:luxon@3';`,
    `DateTime.fromISO('2026-03-29T01:30', { zone: 'Europe/Berlin' }).plus({ hours: 1 }).toFormat('HH:mm')`,
    '03:30',
  ),
  evaluate(
    'uuid',
    `import { v5, validate, v7 } from 'npm:uuid@13';`,
    `[v5('example.com', v5.DNS), validate(v7())]`,
    ['cfbff0d1-9375-5685-968c-48ce8b15ae17', true],
  ),
  evaluate('nanoid', `import { nanoid } from 'npm:nanoid@5';`, `nanoid(10).length`, 10),
  evaluate('mathjs', `import { evaluate } from 'npm:mathjs@14/number';`, `evaluate('sqrt(16) + 2 ^ 3')`, 12),
  evaluate(
    'decimal.js',
    `import Decimal from 'npm:decimal.js@10';`,
    `new Decimal('0.1').plus('0.2').toString()`,
    '0.3',
  ),
  evaluate(
    'jose',
    `import { jwtVerify, SignJWT } from 'npm:jose@6'; const key = new TextEncoder().encode('a key of this test, long enough!');`,
    `(await jwtVerify(await new SignJWT({ name: 'Ada' }).setProtectedHeader({ alg: 'HS256' }).sign(key), key)).payload`,
    { name: 'Ada' },
  ),
  evaluate(
    'jsonwebtoken',
    `import jwt from 'npm:jsonwebtoken@9';`,
    `jwt.verify(jwt.sign({ name: 'Ada' }, 'key', { noTimestamp: true }), 'key')`,
    { name: 'Ada' },
  ),
  evaluate(
    'bcryptjs',
    `import bcrypt from 'npm:bcryptjs@3';`,
    `await bcrypt.compare('secret', await bcrypt.hash('secret', 4))`,
    true,
  ),
  evaluate(
    '@noble/hashes',
    `import { sha256 } from 'npm:@noble/hashes@2/sha2.js'; import { bytesToHex, utf8ToBytes } from 'npm:@noble/hashes@2/utils.js';`,
    `bytesToHex(sha256(utf8ToBytes('Ada'))).slice(0, 8)`,
    Bun.SHA256.hash('Ada', 'hex').slice(0, 8),
  ),
  evaluate(
    'semver',
    `import semver from 'npm:semver@7';`,
    `semver.maxSatisfying(['1.2.0', '1.9.1', '2.0.0'], '^1')`,
    '1.9.1',
  ),
  evaluate(
    'p-limit',
    `import pLimit from 'npm:p-limit@7'; const limit = pLimit(1);`,
    `await Promise.all([1, 2].map((n) => limit(async () => n * 2)))`,
    [2, 4],
  ),
  evaluate(
    'eventemitter3',
    `import EventEmitter from 'npm:eventemitter3@5';`,
    `new EventEmitter().on('x', () => 0).listenerCount('x')`,
    1,
  ),
  evaluate('debug', `import debug from 'npm:debug@4';`, `debug('x').namespace`, 'x'),
];
