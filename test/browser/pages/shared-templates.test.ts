import { afterEach, beforeAll, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { expectReadable } from '../../support/browser/accessibility.ts';
import { allowSpending, clickInDialog } from '../../support/browser/permission.ts';
import { closeTabs, type Person, type Stage, sharedStage } from '../../support/browser/stage.ts';
import { type Answer, button, MARKUP, TemplatePages } from '../../support/browser/templates.ts';

/** Templates in which several people do something together, and the chat with a character. */

let stage: Stage;
let olga: Person;
let ben: Person;
let pages: TemplatePages;
beforeAll(async () => {
  stage = await sharedStage('origin');
  [olga, ben] = [await stage.register('olga-shared'), await stage.register('ben-shared')];
  pages = new TemplatePages(stage, olga);
});
afterEach(async () => {
  await closeTabs();
  pages.expectQuiet();
});

test('split: an expense counts for everyone at once, to the cent', async () => {
  const { id, url } = await pages.make('split', 'Lisbon');
  expect((await stage.call('DELETE', `/api/pages/${id}/samples`, { token: olga.token })).status).toBe(200);
  const [writer, guest] = [await pages.open(url, ben), await pages.open(url)];
  await button(writer, 'Add an expense').click();
  await writer.getByLabel('What was it?').fill(MARKUP);
  await writer.getByLabel('How much?').fill('10,00');
  for (const name of ['Zoë 🦊', 'נועה']) {
    await writer.getByLabel('Name of a person').fill(name);
    await button(writer, 'Add').click();
  }
  await writer.getByRole('radio', { name: 'ben-shared' }).check();
  await writer.getByText('€3.33 or €3.34 each, €10.00 together').waitFor();
  await button(writer, 'Save').click();
  await guest.getByText(MARKUP).waitFor();
  await guest.getByText('pays').first().waitFor();
  await expectReadable(writer);
  for (let left = 2; left > 0; left--) {
    await writer
      .getByRole('button', { name: /^Paid:/ })
      .first()
      .click();
    await guest
      .locator('#settle li')
      .nth(left - 1)
      .waitFor({ state: 'detached' });
  }
  await guest.getByText('All square').waitFor();
  expect(await guest.getByRole('button', { name: /^Delete/ }).count()).toBe(0);
  const path = `/api/pages/${id}/social-data/settings`;
  const body = { data: { currency: 'USD' } };
  expect((await stage.call('POST', path, { token: ben.token, body })).status).toBe(403);
  await expectExactSplits(guest);
});

/** Any amounts for any number of people: nothing is lost, and nobody owes anything after the payments. */
async function expectExactSplits(tab: Page): Promise<void> {
  const faults = await tab.evaluate(`(() => {
    const faults = [];
    let seed = 11;
    const random = (most) => (seed = (seed * 48271) % 2147483647) % most;
    for (let round = 0; round < 300; round++) {
      const names = Array.from({ length: 1 + random(9) }, (_, index) => 'P' + index);
      const list = Array.from({ length: 1 + random(12) }, (_, index) => {
        const some = names.filter(() => random(2));
        return { id: 'x' + round + index, data: { by: names[random(names.length)], for: some.length ? some : names, units: 1 + random(round % 2 ? 99999999999 : 500) } };
      });
      const result = balances(list, names);
      if ([...result.values()].reduce((sum, units) => sum + units, 0) !== 0) faults.push('sum ' + round);
      if (list.some(({ id, data }) => share(data.units, data.for, id).reduce((sum, [, part]) => sum + part, 0) !== data.units)) faults.push('share ' + round);
      const payments = settle(new Map(result));
      if (payments.length >= Math.max(1, names.length)) faults.push('payments ' + round);
      for (const { from, to, units } of payments) { result.set(from, result.get(from) + units); result.set(to, result.get(to) - units); }
      if ([...result.values()].some((units) => units !== 0)) faults.push('rest ' + round);
    }
    const read = { '12': 1200, '12.5': 1250, '12,50': 1250, '1,234.56': 123456, '1.234,56': 123456, '1.234': 123400, '1,234,567': 123456700, '€ 3': 300, ',5': 50, '0.01': 1, '0.1': 10, '0': null, '-5': null, '1.2345': null, '12..5': null, '1e9': null, '': null, 'ten': null, '1.23,4': null, '99999999999999': null };
    for (const [text, units] of Object.entries(read)) if (parseAmount(text, 2) !== units) faults.push(text + ' is ' + parseAmount(text, 2));
    return faults;
  })()`);
  expect(faults).toEqual([]);
}

test('battle: two players answer at once, and nobody can read an answer before', async () => {
  const { url } = await pages.make('battle', 'Friday');
  const [host, guest] = [await pages.open(url, olga), await pages.open(url)];
  await host.getByLabel('Your name').fill(MARKUP.slice(0, 20));
  await button(host, 'Start a battle').click();
  await button(host, 'Begin').waitFor();
  const code = (await host.locator('#lobby-code').textContent()) ?? '';
  expect(code).toMatch(/^[A-Z]{4}$/);
  await guest.getByLabel('Your name').fill('Zoë 🦊');
  await guest.getByLabel('Code of the battle').fill('XXXX');
  await button(guest, 'Join').click();
  await guest.getByText('There is no battle with this code.').waitFor();
  await guest.getByLabel('Code of the battle').fill(code.toLowerCase());
  await button(guest, 'Join').click();
  await host.getByText('Zoë 🦊').waitFor();
  await guest.getByText(MARKUP.slice(0, 20)).waitFor();
  expect(await button(guest, 'Begin').isVisible()).toBe(false);
  await button(host, 'Begin').click();
  await guest.locator('#options button').first().waitFor();

  const spy = (await pages.callFunction('quiz-battle', { action: 'join', code, name: 'Spy' })).body;
  expect(spy).toEqual({ success: false, error: 'begun' });
  const seat = await guest.evaluate('({ code: seat.code, key: seat.key })');
  const call = (action: string, more = {}): Promise<Answer> =>
    pages.callFunction('quiz-battle', { action, ...(seat as object), ...more }).then(({ body }) => body);
  const { state } = (await call('state')).data;
  expect(Object.keys(state).sort()).toEqual([
    'answered',
    'code',
    'leftMs',
    'number',
    'options',
    'phase',
    'players',
    'rounds',
    'seconds',
    'text',
    'version',
  ]);
  expect((await call('next')).error).toBe('host_only');
  expect((await call('answer', { number: 3, choice: 0 })).error).toBe('too_late');
  expect((await call('answer', { key: 'guess', number: 0, choice: 0 })).error).toBe('no_battle');
  expect(await call('answer', { number: 0, choice: 0 })).toEqual({ success: true, data: {} });
  expect((await call('state')).data.state.right).toBeUndefined();
  await host.getByText('1 of 2 answered').waitFor();
  const document = await (await fetch(url)).text();
  expect(document).not.toContain(state.text);

  await host.locator('#options button').nth(1).click();
  await guest.locator('#options .right').waitFor();
  await expectReadable(guest);
  for (let round = 1; round < 7; round++) {
    await host.getByRole('button', { name: /Next question/ }).click();
    await guest.getByText(`${round + 1} of 7`, { exact: true }).waitFor();
    await Promise.all(
      [host, guest].map((tab) =>
        tab
          .locator('#options button:enabled')
          .nth(round % 4)
          .click(),
      ),
    );
    await host.locator('#options .right').waitFor();
  }
  await button(host, 'See who won').click();
  await guest.getByRole('heading', { name: /wins!$/ }).waitFor();
  await expectReadable(guest);
  await button(guest, 'Play again').click();
  await guest.getByText('Best of all time').waitFor();
});

test('countdown: the owner sets the moment, and a spark reaches the others', async () => {
  const { id, url } = await pages.make('countdown', 'Launch');
  const [owner, guest] = [await pages.open(url, olga), await pages.open(url)];
  await button(owner, 'Set the date').click();
  await owner.getByLabel('Day and time').fill('2999-01-01T10:00');
  await owner.getByLabel('A few words, if you like').fill(MARKUP);
  await button(owner, 'Save').click();
  await guest.getByText(MARKUP).waitFor();
  await guest.getByText('2999').waitFor();
  await guest.getByText('Somebody is counting with you').waitFor();
  await button(owner, 'Send a spark').click();
  await guest.getByText('Somebody sent you a spark.').waitFor();
  await expectReadable(guest);
  const download = guest.waitForEvent('download');
  await button(guest, 'Calendar').click();
  expect((await download).suggestedFilename()).toBe('countdown.ics');
  expect(await button(guest, 'Set the date').isVisible()).toBe(false);
  const body = { data: { at: '2000-01-01T00:00:00Z' } };
  const path = `/api/pages/${id}/social-data/moment`;
  expect((await stage.call('POST', path, { token: ben.token, body })).status).toBe(403);
  await button(owner, 'Set the date').click();
  await owner.getByLabel('Day and time').fill('2001-01-01T10:00');
  await button(owner, 'Save').click();
  await guest.getByText(/days ago/).waitFor();
});

test('questions: strangers ask and vote, and the owner takes one on stage', async () => {
  const { url } = await pages.make('questions', 'Talk');
  const [owner, guest, other] = [await pages.open(url, olga), await pages.open(url), await pages.open(url)];
  await guest.getByLabel('Your question').fill(`Why ${MARKUP}?`);
  await button(guest, 'Ask').click();
  const card = other.locator('li', { hasText: `Why ${MARKUP}?` });
  await card.getByRole('button', { name: /^1 votes/ }).click();
  await guest.getByRole('button', { name: /^2 votes/ }).waitFor();
  await expectReadable(guest);
  expect(await card.getByRole('button', { name: 'Delete' }).count()).toBe(0);
  const call = (body: object) => pages.callFunction('talk-questions', body);
  const key = 'a-key-of-a-stranger';
  const { questions } = (await call({ action: 'list', key })).body.data;
  expect(JSON.stringify(questions)).not.toContain('voter');
  const [{ id }] = questions;
  expect((await call({ action: 'remove', id, key })).body.error).toBe('not_yours');
  expect((await call({ action: 'mark', id, key, state: 'stage' })).body.error).toBe('owner_only');
  for (const _ of [1, 2])
    expect((await call({ action: 'vote', key, votes: { [id]: true } })).status).toBe(200);
  const again = (await call({ action: 'list', key })).body.data.questions;
  expect(again.find((each: Answer) => each.id === id).votes).toBe(3);
  await owner
    .locator('li', { hasText: `Why ${MARKUP}?` })
    .getByRole('button', { name: 'Take on stage' })
    .click();
  await guest.locator('#stage-text', { hasText: MARKUP }).waitFor();
  await other.locator('#done li', { hasText: 'biggest mistake' }).waitFor();
  await button(owner, 'Big screen').click();
  await owner.getByText('Ask at').waitFor();
  await expectReadable(owner);
});

test('character: tells a stranger a story, and is kind without a model', async () => {
  const { url } = await pages.make('character', 'Marlow');
  const [guest, tab] = [await pages.open(url), await pages.open(url, ben)];
  await button(guest, 'Tell me a story').click();
  await guest.getByText('The night of the two moons.').waitFor();
  await expectReadable(guest);
  await tab.getByLabel('Your message').fill(MARKUP);
  await button(tab, 'Send').click();
  await clickInDialog(tab, 'Cancel');
  await tab.getByText('No hard feelings.').waitFor();
  const opened = tab.context().waitForEvent('page');
  await button(tab, 'Ask again').click();
  await clickInDialog(tab, 'Continue in a new tab');
  const consent = await opened;
  await Promise.all([consent.waitForEvent('close'), allowSpending(consent)]);
  await tab.evaluate('void dispatchEvent(new Event("focus"))');
  await tab.getByText('nobody has lent me a voice yet').waitFor();
  expect(await tab.getByText('demo provider').count()).toBe(0);
  expect(await tab.getByText(MARKUP).count()).toBe(1);
  await button(tab, 'Tell me a story').click();
  await tab.getByText('The night of the two moons.').waitFor();
});
