import { Authenticator } from '../../support/accounts/authenticator.ts';
import type { TestSmtp } from '../../support/mail/smtp.ts';
import { type Json, type Person, register } from './accounts.ts';
import { newName, type World } from './world.ts';

/** People for one request, whose accounts it can change or end. */

export function newPerson({ client }: World): Promise<Person> {
  return register(client, newName());
}

/** The options for a passkey, with the cookies that tie them to a browser. */
export async function passkeyOptions({ client }: World, path: string, cookie: string) {
  const options = await client.call('POST', path, { cookie, json: {} });
  const cookies = [cookie, options.cookieSet].filter(Boolean).join('; ');
  return { options, cookies };
}

export async function newPasskey(world: World) {
  const person = await newPerson(world);
  const authenticator = new Authenticator(world.client.baseUrl);
  const path = '/api/auth/passkeys';
  const { options, cookies } = await passkeyOptions(world, `${path}/options`, person.cookie);
  const json = { credential: authenticator.create(options) };
  const { id } = await world.client.call('POST', path, { cookie: cookies, json });
  return { ...person, authenticator, passkeyId: id as number };
}

/** Somebody whose password is not enough. */
export async function newCautiousPerson(world: World): Promise<Person> {
  const person = await newPasskey(world);
  await world.client.call('POST', '/api/auth/second-factor', { cookie: person.cookie, json: {} });
  return person;
}

/** The code of the link that confirms the address of a new person. */
export async function newConfirmation(world: World, smtp: TestSmtp): Promise<string> {
  const { username } = await newPerson(world);
  const { links } = await smtp.nextMail(`${username}@example.com`, /Confirm/);
  const link = links.find((each) => each.includes('code='));
  return new URL(link ?? '').searchParams.get('code') ?? '';
}

export function asAdmin({ client, people }: World, method: string, path: string, json?: unknown) {
  return client.call(method, path, { token: people.admin.token, json }) as Promise<Json>;
}

/** The name of a backup that the server keeps. Another request may be making one, and only one is made at a time. */
export async function someBackup(world: World): Promise<string> {
  for (;;) {
    const { backups } = await asAdmin(world, 'GET', '/api/admin/backups');
    const complete = backups.find(({ state }: { state: string }) => state === 'complete');
    if (complete) return complete.name;
    await asAdmin(world, 'POST', '/api/admin/backups').catch(() => Bun.sleep(50));
  }
}
