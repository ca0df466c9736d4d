import { createPageFunctions } from './page-functions.ts';
import { startPageSession } from './page-session.ts';
import { createPageUser } from './page-user.ts';
import { readSelf } from './self.ts';
import { replaceThrowingStorage } from './storage.ts';

/** The bundle that every served page begins with: it puts the globals in place before any of the author's scripts. */
const self = readSelf(document.currentScript as HTMLScriptElement);
replaceThrowingStorage();
startPageSession(self);

const globals = { PageFunctions: createPageFunctions(self), PageUser: createPageUser(self) };
for (const [name, value] of Object.entries(globals)) {
  Object.defineProperty(window, name, { value: Object.freeze(value), enumerable: true });
}
