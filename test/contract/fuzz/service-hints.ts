import { randomBytes } from 'node:crypto';
import { hashSecret } from '../../../server/lib/secrets.ts';
import { runSql } from '../../support/engines/storage.ts';
import { waitUntil } from '../../support/server.ts';
import type { Give } from './hint.ts';
import { asAdmin } from './people-world.ts';
import type { World } from './world.ts';

/** Hints for what administrators do with the service. */

/** A picture of one pixel, as base64. */
export const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** Waits its turn among the requests that make a backup, so that the next one is not refused. */
async function makesBackups(world: World): Promise<void> {
  const start = () => asAdmin(world, 'POST', '/api/admin/backups').catch(() => undefined);
  const list = async () => (await asAdmin(world, 'GET', '/api/admin/backups')).backups as { state: string }[];
  await waitUntil(async () => (await start()) !== undefined);
  await waitUntil(async () => (await list()).every(({ state }) => state === 'complete'));
}

/** The vendor never answers this, so that the run can be stopped. */
export const ENDLESS = 'Think about it forever.';
let waitingPage: number | undefined;

/** A page on which the builder is at work. */
async function pageBeingBuilt(world: World): Promise<number> {
  const { token } = world.people.other;
  // A request that was refused has left the last one running.
  if (waitingPage !== undefined)
    await world.client.call('DELETE', `/api/builder/${waitingPage}`, { token }).catch(() => undefined);
  const json = { name: 'Being built', html_content: '<p>' };
  const { page } = await world.client.call('POST', '/api/pages', { token, json });
  waitingPage = page.id as number;
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ prompt: ENDLESS });
  const response = await fetch(`${world.baseUrl}/api/builder/${waitingPage}`, {
    method: 'POST',
    headers,
    body,
  });
  void response.text().catch(() => undefined);
  return waitingPage;
}

/** A token with which a machine can join, as `quire cluster token` leaves it in the database. */
async function newJoin({ dataFolder }: World): Promise<string> {
  const lookup = randomBytes(32).toString('base64url');
  await runSql(
    { dataFolder, databaseUrl: undefined },
    `INSERT INTO cluster_joins (secret_hash, sealed, expires_at) VALUES ('${hashSecret(lookup)}', 'x', ${Date.now() + 60_000})`,
  );
  return lookup;
}

export const SERVICE_HINTS: Record<string, Give> = {
  joinCluster: async (world) => ({ json: { lookup: await newJoin(world) } }),
  importFiles: () => ({
    raw: '<!doctype html><title>Imported</title>',
    type: 'text/html',
    // Random digits are the digest of nothing.
    query: { name: 'page.html', digest: undefined },
  }),
  importAddress: (world) => ({ json: { url: world.elsewhere } }),
  getTemplate: () => ({ params: { key: 'wall' } }),
  publishTemplate: () => ({ params: { key: 'wall' }, fields: { request_key: undefined } }),
  getTemplatePicture: () => ({ params: { key: 'wall' } }),
  updateInstance: (_, random) => ({
    // Made up, they could be empty or have several lines.
    fields: { name: 'Our school', tagline: 'For everyone', color: random.pick([undefined, null, '#3547a8']) },
  }),
  setLogo: () => ({ raw: Buffer.from(PNG, 'base64'), type: 'image/png' }),
  async makeBackup(world) {
    await makesBackups(world);
    return {};
  },
  buildNewPage: () => ({ fields: { prompt: 'A page about bees' } }),
  buildPage: (world) => ({ params: { id: world.pages.page.id }, json: { prompt: 'Make the title blue' } }),
  watchBuilder: (world) => ({ params: { id: world.pages.page.id } }),
  stopBuilder: async (world) => ({ role: 'other', params: { id: await pageBeingBuilt(world) } }),
};
