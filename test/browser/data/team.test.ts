import { afterEach, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import {
  closeTabs,
  type Person,
  type Published,
  type Setting,
  type Stage,
  sharedStage,
} from '../../support/browser/stage.ts';

/** `TeamData` for the members of a team, in each isolation. */

const MODES: Setting[] = ['origin', 'sandbox'];
const BLANK = '<!doctype html><title>Blank</title><body>';

afterEach(closeTabs);

for (const setting of MODES) {
  describe(`in ${setting} isolation`, () => {
    let stage: Stage;
    let people: Record<'olga' | 'anna' | 'mark' | 'vera' | 'nils', Person>;
    let page: Published;
    beforeAll(async () => {
      stage = await sharedStage(setting);
      const names = ['olga', 'anna', 'mark', 'vera', 'nils'] as const;
      const registered = await Promise.all(names.map(async (name) => [name, await stage.register(name)]));
      people = Object.fromEntries(registered);
      page = await stage.publish(people.olga, BLANK, { name: 'Team page', storage_mode: 'team_app' });
      const owner = await open(people.olga);
      for (const [name, role] of [
        ['anna', 'admin'],
        ['mark', 'member'],
        ['vera', 'viewer'],
      ] as const) {
        const code = await owner.evaluate(
          `TeamData.createInvite({ role: '${role}' }).then((invite) => invite.inviteCode)`,
        );
        const joined = await stage.call('POST', `/api/join/${code}`, { token: people[name].token });
        expect(joined.status).toBe(200);
      }
    });

    async function open(person?: Person): Promise<Page> {
      const tab = await stage.enter(person);
      await tab.goto(page.url);
      await tab.evaluate('TeamData.ready');
      return tab;
    }

    test('everyone knows their role and what it allows', async () => {
      const allowed = async (person?: Person) => (await open(person)).evaluate(ROLE_AND_ACTIONS);
      expect(await allowed(people.olga)).toEqual(['owner', 'read create update delete invite manage']);
      expect(await allowed(people.anna)).toEqual(['admin', 'read create update delete invite manage']);
      expect(await allowed(people.mark)).toEqual(['member', 'read create update delete']);
      expect(await allowed(people.vera)).toEqual(['viewer', 'read']);
      expect(await allowed(people.nils)).toEqual([null, '']);
      expect(await allowed()).toEqual([null, '']);
    });

    test('can answers by the rules of a collection, as soon as they change', async () => {
      const tab = await open(people.mark);
      expect(await tab.evaluate(CAN_WITH_TICKETS)).toBe('yyy yyy yyn yyn');
      // A collection can have any name that objects know already.
      expect(await tab.evaluate("TeamData.can('read', 'constructor')")).toBe(true);
      await tab.evaluate(`new Promise((opened) => {
        window.reset = new Promise((resolve) => TeamData.subscribe('tickets', ({ type }) => type === 'reset' && resolve()));
        TeamData.find('tickets').then(opened);
      }).then(() => undefined)`);
      const rules = { create: 'admin', update: 'member' };
      const path = `/api/pages/${page.id}/team-data/tickets/schema`;
      await stage.call('PUT', path, { token: people.olga.token, body: { schema: { rules } } });
      await tab.evaluate('window.reset');
      expect(await tab.evaluate(CAN_WITH_TICKETS)).toBe('yyy nnn yyy yyn');
      const replaced = `TeamData.create('other', { a: 1, b: 2 })
        .then(({ id }) => TeamData.update('other', id, { a: null }))
        .then(({ id, data }) => TeamData.replace('other', id, { c: 3 }).then((last) => [data, last.data]))`;
      expect(await tab.evaluate(replaced)).toEqual([{ b: 2 }, { c: 3 }]);
    });

    test('the team is listed', async () => {
      const tab = await open(people.vera);
      expect(
        await tab.evaluate(
          `TeamData.getMembers().then((members) => members.map(({ user, role }) => user.username + ' ' + role))`,
        ),
      ).toEqual(['olga owner', 'anna admin', 'mark member', 'vera viewer']);
    });

    test('what one member writes reaches the others', async () => {
      const [reading, writing] = [await open(people.vera), await open(people.mark)];
      await reading.evaluate(`(async () => {
        window.changes = [];
        TeamData.subscribe('cards', ({ type, record }) => changes.push(type + ' ' + record?.createdBy.username));
        await TeamData.find('cards');
      })()`);
      await writing.evaluate(`TeamData.create('cards', { title: 'Chairs' })`);
      await reading.waitForFunction('changes.length > 0');
      expect(await reading.evaluate('changes')).toEqual(['created mark']);
      const refused = await reading.evaluate(
        `TeamData.create('cards', {}).catch(({ status, code }) => [status, code])`,
      );
      expect(refused).toEqual([403, 'FORBIDDEN']);
    });

    test('files can be uploaded, listed, downloaded and deleted', async () => {
      const tab = await open(people.mark);
      expect(await tab.evaluate(USE_FILES)).toEqual({
        uploaded: { name: 'chairs.txt', size: 5, uploadedBy: 'mark' },
        listed: ['chairs.txt'],
        downloaded: 'sixty',
        throughAddress: 'sixty',
        addressKind: stage.isolation === 'sandbox' ? 'blob:' : 'http:',
        afterwards: [],
      });
    });
  });
}

const ROLE_AND_ACTIONS = `[
  TeamData.getRole(),
  ['read', 'create', 'update', 'delete', 'invite', 'manage', 'fly'].filter((action) => TeamData.can(action)).join(' '),
]`;

/** For no record, an own one, and one of somebody else. */
const CAN_WITH_TICKETS = `(() => {
  const records = [undefined, { createdBy: TeamData.getCurrentUser() }, { createdBy: { id: 0, username: 'x' } }];
  return ['read', 'create', 'update', 'delete']
    .map((action) => records.map((record) => (TeamData.can(action, 'tickets', record) ? 'y' : 'n')).join(''))
    .join(' ');
})()`;

const USE_FILES = `(async () => {
  const file = await TeamData.uploadFile(new File(['sixty'], 'chairs.txt', { type: 'text/plain' }));
  const address = await TeamData.getDownloadUrl(file.id);
  const outcome = {
    uploaded: { name: file.name, size: file.size, uploadedBy: file.uploadedBy.username },
    listed: (await TeamData.listFiles()).map(({ name }) => name),
    downloaded: await (await TeamData.downloadFile(file.id)).text(),
    throughAddress: await (await fetch(address)).text(),
    addressKind: new URL(address).protocol,
  };
  await TeamData.deleteFile(file.id);
  outcome.afterwards = await TeamData.listFiles();
  return outcome;
})()`;
