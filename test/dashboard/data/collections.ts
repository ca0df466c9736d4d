import { expect } from 'bun:test';
import type { Page } from 'playwright-core';
import { type Person, type Published, type Stage, sharedStage } from '../../support/browser/stage.ts';

/** What the tests of the data screens share. */

export interface DataStage {
  stage: Stage;
  owner: Person;
  publish(storage_mode: string, by?: Person): Promise<Published>;
  /** Creates a collection with some records, oldest first. */
  fill(
    page: Published,
    records: Array<Record<string, unknown>>,
    options?: { by?: Person; type?: string; collection?: string },
  ): Promise<void>;
  open(page: Published, part?: string, person?: Person): Promise<Page>;
  /** The records of the collection `tasks`, newest first. */
  read(page: Published): Promise<Array<Record<string, unknown>>>;
}

export async function dataStage(username: string): Promise<DataStage> {
  const stage = await sharedStage('origin');
  const owner = await stage.register(username);
  return {
    stage,
    owner,
    publish: (storage_mode, by = owner) =>
      stage.publish(by, '<!doctype html><title>Garden</title>', { name: 'Garden', storage_mode }),
    async fill(page, records, { by = owner, type = 'team-data', collection = 'tasks' } = {}) {
      for (let at = 0; at < records.length; at += 100) {
        const operations = records.slice(at, at + 100).map((data) => ({ op: 'create', data }));
        const path = `/api/pages/${page.id}/${type}/${collection}/batch`;
        const answer = await stage.call('POST', path, { body: { operations }, token: by.token });
        expect(answer.status).toBe(200);
      }
    },
    async open(page, part = 'tasks', person = owner) {
      const tab = await stage.reuse(person);
      await tab.goto(`${stage.baseUrl}/pages/${page.id}/data${part && `/${part}`}`);
      return tab;
    },
    async read(page) {
      const { body } = await stage.call('GET', `/api/pages/${page.id}/team-data/tasks`, {
        token: owner.token,
      });
      return body.records.map(({ data }: { data: Record<string, unknown> }) => data);
    },
  };
}

export const rows = (tab: Page) => tab.locator('.data-table tbody tr');
export const titles = (tab: Page) => tab.locator('.data-table .data-text').allTextContents();
/** A text in a cell. */
export const cell = (tab: Page, text: string) =>
  tab.locator('.data-table td').getByText(text, { exact: true });
export const button = (tab: Page, name: string | RegExp) => tab.getByRole('button', { name, exact: true });

/** Replaces the text of the editor with that name. */
export async function type(tab: Page, label: string, text: string): Promise<void> {
  const editor = tab.getByLabel(label, { exact: true });
  await editor.waitFor();
  await editor.fill(text);
}

export async function confirm(tab: Page, phrase: string, submit: string): Promise<void> {
  const dialog = tab.getByRole('dialog');
  expect(await dialog.getByRole('button', { name: submit }).isDisabled()).toBe(true);
  await dialog.getByLabel(`Type ${phrase} to confirm`).fill(phrase);
  await dialog.getByRole('button', { name: submit }).click();
}

/** Opens the menu of a column and chooses from it. */
export async function chooseInColumn(tab: Page, column: string, item: string): Promise<void> {
  await button(tab, `Column ${column}`).click();
  await tab.getByRole('menu').getByText(item, { exact: true }).click();
}
