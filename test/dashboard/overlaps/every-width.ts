import { expect, test } from 'bun:test';
import type { BrowserContext, Page } from 'playwright-core';
import { expectNoOverlaps } from '../../support/browser/overlaps.ts';
import { newContext, type Person, type Stage } from '../../support/browser/stage.ts';

/** Looks at screens at every width and in every language. */

export const LOCALES = ['en-US', 'de-DE'];
/** As long as names can be, without a place to break. */
export const LONG_NAME = 'Wochenplan'.repeat(20);
export const RIGHT_TO_LEFT = 'خطة الأسبوع للجميع في الحي مع كل ما نحتاج إليه';

const SCREEN_MS = 120_000;

/** A browser of a language, in which the person, if any, is logged in. */
export async function openWith(locale: string, stage: Stage, person?: Person): Promise<BrowserContext> {
  const context = await newContext({ locale });
  if (person) await context.addCookies(await (await stage.reuse(person)).context().cookies());
  return context;
}

interface Scene {
  stage: Stage;
  person: Person;
  /** What the names in the paths stand for: `:page`. */
  ids: Record<string, string | number>;
}

const fillIn = (path: string, ids: Scene['ids']) =>
  path.replace(/:(\w+)/g, (whole, name: string) => String(ids[name] ?? whole));

/** A test for each screen in each language. `prepare` opens what has no address of its own. */
export function testScreens(
  paths: readonly string[],
  getScene: () => Scene,
  prepare: (tab: Page, path: string) => Promise<void> = async () => {},
): void {
  for (const locale of LOCALES)
    for (const path of new Set(paths))
      test(
        `${path} in ${locale}`,
        async () => {
          const { stage, person, ids } = getScene();
          const tab = await (await openWith(locale, stage, person)).newPage();
          const response = await tab.goto(stage.baseUrl + fillIn(path, ids));
          expect(response?.status()).toBe(200);
          await prepare(tab, path);
          await expectNoOverlaps(tab);
          if (process.env.PICTURES) await takePictures(tab, `${path}-${locale}`);
        },
        SCREEN_MS,
      );
}

/** For people who look: light and dark, on a phone, a tablet and a laptop. */
async function takePictures(tab: Page, name: string): Promise<void> {
  for (const width of [390, 820, 1280])
    for (const colorScheme of ['light', 'dark'] as const) {
      await tab.setViewportSize({ width, height: 900 });
      await tab.emulateMedia({ colorScheme });
      const file = `${name.replace(/\W+/g, '-')}-${width}-${colorScheme}.png`;
      await tab.screenshot({ path: `${process.env.PICTURES}/${file}` });
    }
}
