import { expect, test } from 'bun:test';
import { availableParallelism } from 'node:os';
import { AppError } from '../../../lib/errors.ts';
import { createPasswords } from './passwords.ts';

const hash = await createPasswords().hash('right horse', '192.0.2.1');

test('compares passwords, and never accepts one for an unknown user', async () => {
  const passwords = createPasswords();
  expect(await passwords.verify('right horse', hash, '192.0.2.1')).toBeTrue();
  expect(await passwords.verify('wrong horse', hash, '192.0.2.1')).toBeFalse();
  expect(await passwords.verify('right horse', undefined, '192.0.2.1')).toBeFalse();
});

test('refuses unknown and known names in the same way when the queue is full, and serves both afterwards', async () => {
  for (const stored of [hash, undefined]) {
    const passwords = createPasswords(0);
    const busy = Array.from({ length: availableParallelism() }, () =>
      passwords.verify('x', hash, '192.0.2.9'),
    );
    const refused = await passwords.verify('x', stored, '192.0.2.1').catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(AppError);
    expect(refused).toMatchObject({ code: 'UNAVAILABLE', headers: { 'retry-after': '5' } });
    await Promise.all(busy);
    expect(await passwords.verify('x', stored, '192.0.2.1')).toBeFalse();
  }
});

test('an address that fills the queue does not block others', async () => {
  const passwords = createPasswords(6);
  const finished: string[] = [];
  const flood = Array.from({ length: 30 }, () =>
    passwords.verify('x', hash, '192.0.2.9').then(
      () => void finished.push('stranger'),
      () => 'refused',
    ),
  );
  await passwords.verify('right horse', hash, '192.0.2.1');
  // At most the hashes in progress, and one turn of the other addresses.
  expect(finished.length).toBeLessThanOrEqual(2 * availableParallelism() + 1);
  const outcomes = await Promise.all(flood);
  expect(outcomes.filter((outcome) => outcome === 'refused').length).toBeGreaterThan(0);
});

test('hashes with the parameters that OWASP recommends', async () => {
  // Runs in another process, because the tests have made hashing cheap in this one.
  const script = `import { createPasswords } from '${import.meta.dir}/passwords.ts';
    console.log(await createPasswords().hash('right horse', '192.0.2.1'));`;
  const child = Bun.spawn([process.execPath, '--no-install', '-e', script], { stdout: 'pipe' });
  expect(await child.stdout.text()).toStartWith('$argon2id$v=19$m=19456,t=2,p=1$');
});
